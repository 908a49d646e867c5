//go:build !(amd64 || arm64) || go1.28

package rival

func native() []Library { return nil }
