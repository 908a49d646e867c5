package proc_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 2 { // never signal a group by mistake
		panic("no process id: " + strconv.Quote(s))
	}
	return n
}

// stat returns the fields of /proc/ID/stat from the state on.
func stat(pid int) []string {
	text, err := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// state is the state letter of a process, 0 if there is none.
func state(pid int) byte {
	if f := stat(pid); len(f) > 0 {
		return f[0][0]
	}
	return 0
}

// children returns the ids of the processes whose parent this process is.
func children() []int { return childrenOf(os.Getpid()) }

func childrenOf(pid int) (ids []int) {
	names, _ := os.ReadDir("/proc")
	for _, e := range names {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			if f := stat(id); len(f) > 1 && f[1] == itoa(pid) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// name is the name of a process's program.
func name(pid int) string {
	text, _ := os.ReadFile("/proc/" + itoa(pid) + "/comm")
	return strings.TrimSpace(string(text))
}

// descriptors counts the open ones of this process.
func descriptors() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// blockedOnPipe reports whether the child of a process that copies /dev/zero by
// head sleeps: it does only in a write to a full pipe.
func blockedOnPipe(pid int) bool {
	names, _ := os.ReadDir("/proc")
	for _, e := range names {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		f := stat(id)
		if len(f) > 1 && f[0] == "S" && f[1] == itoa(pid) && name(id) == "head" {
			return true
		}
	}
	return false
}

// gone reports whether no process has this id, but as a zombie.
func gone(pid int) bool { return state(pid) == 0 || state(pid) == 'Z' }

// inheritable returns the descriptors from 3 on that every child of this
// process gets, as names.
func inheritable() (fds []string) {
	names, _ := os.ReadDir("/proc/self/fdinfo")
	for _, e := range names {
		info, _ := os.ReadFile("/proc/self/fdinfo/" + e.Name())
		_, flags, ok := strings.Cut(string(info), "flags:")
		word, _, _ := strings.Cut(strings.TrimSpace(flags), "\n")
		n, err := strconv.ParseInt(word, 8, 64)
		const closeOnExec = 0o2000000
		standard := len(e.Name()) == 1 && e.Name() <= "2"
		if ok && err == nil && n&closeOnExec == 0 && !standard {
			fds = append(fds, e.Name())
		}
	}
	return fds
}
