package stdio

import (
	"os"
	"os/signal"
)

// Claim takes the stdout of the process: what returns is the only way to it
// until Release, and whatever else is printed to stdout lands on stderr, or
// nowhere under 2>&1 (see the package documentation). While the claim is held,
// further calls return the same one. It adopts the claim of stdio/early.
//
// Claim also takes the signal SIGPIPE, without ignoring it, which children
// would inherit: a stray print to a stderr that nobody reads would end the
// process otherwise.
//
// The private descriptor is closed on exec: a program that replaces itself by
// syscall.Exec must call Release first, or the next one has no stdout.
//
// It fails, and changes nothing, where stdout is closed or the system is out of
// descriptors. A standard descriptor that was closed when the process started
// is /dev/null here, since the Go runtime opens it as that.
func Claim() (*Stdout, error) {
	process.Lock()
	defer process.Unlock()
	if process.claim != nil {
		return process.claim, nil
	}
	s, err := claim()
	if err != nil {
		return nil, err
	}
	stop := takeSIGPIPE()
	undo := s.undo
	s.undo = func() error {
		stop()
		if process.prose != nil {
			process.prose.hush(false)
		}
		return undo()
	}
	if process.prose != nil {
		process.prose.hush(s.mirrored)
	}
	process.claim = s
	return s, nil
}

// takeSIGPIPE has the signal sent to a channel that nobody reads.
func takeSIGPIPE() (stop func()) {
	if len(sigpipe) == 0 {
		return func() {}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, sigpipe[:]...)
	return func() { signal.Stop(c) }
}

// Raw returns the stdout of the process with nothing redirected: for text that
// people read, where a broken pipe should be an error and not the end of the
// process. It gives descriptor 1 back where stdio/early holds it. Where [Claim]
// holds it, the claim stays, and both write to the same place. Each call
// returns a Stdout of its own; Release closes it.
func Raw() (*Stdout, error) {
	process.Lock()
	defer process.Unlock()
	return raw()
}
