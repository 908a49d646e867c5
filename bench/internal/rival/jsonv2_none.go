//go:build !goexperiment.jsonv2

package rival

func experimental() []Library { return nil }
