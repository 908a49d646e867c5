package adopt

import (
	"strings"
	"unsafe"
)

// productName returns name as it can stand in a member's name (contract D6).
func productName(name string) string {
	clean := []byte(strings.ToLower(name))
	for i, c := range clean {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			clean[i] = '_'
		}
	}
	if len(strings.Trim(string(clean), "_")) == 0 {
		return "program"
	}
	return string(clean)
}

// view is b seen as a string, for a callee that does not keep it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
