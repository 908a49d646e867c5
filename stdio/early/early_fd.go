//go:build linux || darwin

package early

import "github.com/streamjson/streamjson/stdio/internal/stdfd"

func init() { stdfd.TakeEarly() }
