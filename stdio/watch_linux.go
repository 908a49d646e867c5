package stdio

import "golang.org/x/sys/unix"

// hangUpEvents asks for nothing: Linux reports hang-ups and errors unasked.
const hangUpEvents = 0

func wakePipe(p *[2]int) error { return unix.Pipe2(p[:], unix.O_CLOEXEC) }
