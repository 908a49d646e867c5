//go:build (!amd64 && !arm64) || nosonic || go1.28

package sonicjson_test

const nativeBuild = false
