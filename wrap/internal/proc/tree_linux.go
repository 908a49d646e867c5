package proc

import (
	"bytes"
	"maps"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A tree is what a command has started. Processes that leave its group are
// known from when they were seen as descendants of it.
type tree struct {
	known   map[int]process // by id
	adopted bool            // this process adopted orphans before
	ending  atomic.Bool     // the command is being killed; that it stops is our doing
}

// A process is an entry of /proc.
type process struct {
	id, parent, group, session int
	state                      byte
	start                      uint64 // since boot: tells it from a later one with the same id
}

func (p process) alive() bool { return p.state != 'Z' && p.state != 'X' }

// readProcess reads /proc/ID/stat, false if there is no such process.
func readProcess(id int) (process, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return process{}, false
	}
	// The name may hold blanks and brackets; the last bracket ends it.
	_, rest, ok := cutLast(text, ") ")
	fields := bytes.Fields(rest)
	if !ok || len(fields) < 20 {
		return process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i]))
		return n
	}
	start, _ := strconv.ParseUint(string(fields[19]), 10, 64)
	return process{
		id: id, state: fields[0][0], start: start,
		parent: number(1), group: number(2), session: number(3),
	}, true
}

func cutLast(b []byte, sep string) (before, after []byte, found bool) {
	if i := bytes.LastIndex(b, []byte(sep)); i >= 0 {
		return b[:i], b[i+len(sep):], true
	}
	return b, nil, false
}

// processes returns all processes that can be seen.
func processes() map[int]process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make(map[int]process, len(names))
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(id); ok {
				all[id] = p
			}
		}
	}
	return all
}

// signal sends sig, but never to another process that has got the id since:
// the descriptor is taken before the look that shows whose it is.
func (p process) signal(sig syscall.Signal) {
	fd, err := unix.PidfdOpen(p.id, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	now, ok := readProcess(p.id)
	switch {
	case !ok || now.start != p.start:
	case err == nil:
		unix.PidfdSendSignal(fd, sig, nil, 0)
	default: // an old kernel, or no descriptor left
		unix.Kill(p.id, sig)
	}
}

// remember looks for the living processes that the command has started, and
// keeps them in mind: once a parent has ended, the line to it is cut. It
// reports whether there are new ones.
func (c *child) remember() bool {
	all, self := processes(), os.Getpid()
	if c.known == nil {
		c.known = make(map[int]process)
	}
	maps.DeleteFunc(c.known, func(id int, p process) bool {
		now, ok := all[id]
		return !ok || now.start != p.start || !now.alive()
	})
	fresh := false
	for id, p := range all {
		if _, ok := c.known[id]; ok || id == c.pid || id == self || !p.alive() {
			continue
		}
		if p.group == c.pid || p.session == c.pid || c.descends(p, all, self) {
			c.known[id] = p
			fresh = true
		}
	}
	return fresh
}

// descends reports whether a process comes from the command, or from something
// that does.
func (c *child) descends(p process, all map[int]process, self int) bool {
	for range all { // a snapshot that is not of one moment may go round
		if p.parent == c.pid || (c.sole && p.parent == self) {
			return true
		}
		if _, ok := c.known[p.parent]; ok {
			return true
		}
		up, ok := all[p.parent]
		if !ok || up.id == self {
			return false
		}
		p = up
	}
	return false
}

// signalRest asks what the ended command has left outside of its group, which
// has been asked, to end.
func (c *child) signalRest(sig os.Signal) {
	c.remember()
	for _, p := range c.known {
		if p.group != c.pid {
			p.signal(sig.(syscall.Signal))
			p.signal(unix.SIGCONT)
		}
	}
}

// settle returns when nothing that the command has started is left, or at the
// deadline.
func (c *child) settle(deadline time.Time) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		c.remember()
		left := time.Until(deadline)
		if len(c.known) == 0 || left <= 0 {
			return
		}
		time.Sleep(min(pause, left))
	}
}

// killRest kills the command's group and, if deep, all that can be found of
// its tree. Before that everything is stopped, so that nothing is started
// meanwhile that would not be seen.
func (c *child) killRest(deep bool) {
	if deep {
		c.ending.Store(true)
		unix.Kill(-c.pid, unix.SIGSTOP)
		for round := 0; c.remember() && round < 10; round++ {
			for _, p := range c.known {
				p.signal(unix.SIGSTOP)
			}
		}
	}
	unix.Kill(-c.pid, unix.SIGKILL)
	for _, p := range c.known {
		p.signal(unix.SIGKILL)
	}
}

// adoptOrphans makes this process the parent of those whose own has ended. A
// process that has a child already is not what Spec.SoleParent says: a shell can
// become another program by exec and leave its background jobs to it. They, and
// their orphans, are nobody's to kill.
func (c *child) adoptOrphans() {
	if !c.sole {
		return
	}
	var info unix.Siginfo
	if unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil) != unix.ECHILD {
		c.sole = false
		return
	}
	var was int32 // an int, says prctl(2)
	if unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&was)), 0, 0, 0) == nil {
		c.adopted = was != 0
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
}

// leaveOrphans puts back what adoptOrphans has changed.
func (c *child) leaveOrphans() {
	if c.sole && !c.adopted {
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
}

// reapOrphans kills and reaps all children of this process, for they are what
// the reaped command has left behind. One that the kernel does not let go is
// left after limit.
func (c *child) reapOrphans(limit time.Duration) {
	if !c.sole {
		return
	}
	for deadline := time.Now().Add(limit); ; {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR || pid > 0:
			continue
		case err != nil: // there are none
			return
		case time.Now().After(deadline):
			return
		}
		killDescendants()
		time.Sleep(time.Millisecond)
	}
}

// killDescendants kills all that comes from this process.
func killDescendants() {
	all, self := processes(), os.Getpid()
	for _, p := range all {
		up := p
		for range all {
			if up.parent == self {
				p.signal(unix.SIGKILL)
				break
			}
			next, ok := all[up.parent]
			if !ok {
				break
			}
			up = next
		}
	}
}
