//go:build !linux

package sonicjson_test

import "errors"

func refuseExec() error { return errors.New("there is no such call") }
