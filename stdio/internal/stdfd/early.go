//go:build linux || darwin

package stdfd

// early is what TakeEarly took and nobody has asked for yet. It is written
// while packages are initialized, then used under the lock of package stdio.
var early *Taken

// TakeEarly takes stdout before the other packages are initialized and keeps
// it for Adopt. It leaves descriptor 2 alone, also where both are one stream:
// a usage error or a panic before the run must be seen. A failure changes
// nothing, and Take will meet it again and tell.
func TakeEarly() {
	if early == nil {
		early, _ = Take()
	}
}

// Adopt hands over what TakeEarly took, once; nil if there is nothing.
func Adopt() *Taken {
	t := early
	early = nil
	return t
}
