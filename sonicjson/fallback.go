//go:build (!amd64 && !arm64) || nosonic || go1.28

package sonicjson

func active() bool { return false }

func appendNative([]byte, any) (out []byte, done bool, err error) { return nil, false, nil }

// Warm does nothing where sonic is not used.
func Warm(...any) {}
