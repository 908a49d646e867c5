package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/streamjson/streamjson/exitcode"
)

// A StartError says why a command could not be started.
type StartError struct {
	// Code is the exit status that a shell would give (contract F13): 127 for
	// a program or directory that is not there, 126 for anything else.
	Code int
	// Name is the program as it was called for.
	Name string
	// Err is the cause.
	Err error
}

// Error says what can't be started, why, and what helps.
func (e *StartError) Error() string { return fmt.Sprintf("can't start %q: %v", e.Name, e.Err) }

// Unwrap returns Err.
func (e *StartError) Unwrap() error { return e.Err }

// A reason is a text for people before the error that it explains.
type reason struct {
	text string
	err  error
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.err }

func notFound(name string, err error, format string, args ...any) *StartError {
	return &StartError{exitcode.NotFound, name, &reason{fmt.Sprintf(format, args...), err}}
}

func notExecutable(name string, err error, format string, args ...any) *StartError {
	return &StartError{exitcode.NotExecutable, name, &reason{fmt.Sprintf(format, args...), err}}
}

// find returns the path of the program. A name with a separator is taken as it
// stands, relative to Dir; any other is looked for in the command's own PATH,
// as env(1) would.
func find(s *Spec) (string, *StartError) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return "", notFound("", exec.ErrNotFound, "no program is named")
	}
	name := s.Argv[0]
	if filepath.Base(name) != name {
		return name, nil
	}
	var denied error
	for _, dir := range filepath.SplitList(pathOf(s.Env)) {
		if !filepath.IsAbs(dir) {
			continue // what lies in the current directory is run by its path only
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		switch {
		case err == nil:
			return path, nil
		case denied == nil && errors.Is(err, fs.ErrPermission):
			denied = err
		}
	}
	if denied != nil {
		return "", notExecutable(name, denied, "the file of that name in PATH is not executable; chmod +x makes it so")
	}
	return "", notFound(name, exec.ErrNotFound, "no program of that name is in PATH; check the name, or give its path")
}

// pathOf returns the PATH of an environment.
func pathOf(env []string) string {
	if env == nil {
		return os.Getenv("PATH")
	}
	path := ""
	for _, kv := range env { // the last one counts
		if key, value, ok := strings.Cut(kv, "="); ok && isPath(key) {
			path = value
		}
	}
	return path
}

// cannotStart explains why the system did not start the command.
func cannotStart(s *Spec, err error) *StartError {
	name := s.Argv[0]
	if s.Dir != "" {
		switch info, e := os.Stat(s.Dir); {
		case errors.Is(e, fs.ErrNotExist):
			return notFound(name, e, "the directory %q to run it in does not exist", s.Dir)
		case e != nil:
			return notExecutable(name, e, "the directory %q to run it in can't be entered: %v", s.Dir, bare(e))
		case !info.IsDir():
			return notFound(name, syscall.ENOTDIR, "%q to run it in is not a directory", s.Dir)
		}
	}
	path := name
	if !filepath.IsAbs(path) && filepath.Base(path) != path {
		path = filepath.Join(s.Dir, path)
	}
	info, e := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.Is(e, fs.ErrNotExist) && filepath.Base(name) != name:
		return notFound(name, err, "there is no such file")
	case errors.Is(err, fs.ErrNotExist):
		return notExecutable(name, err, "it is there, but the interpreter or loader that it asks for is not; look at its first line, or for which system it was built")
	case e == nil && info.IsDir():
		return notExecutable(name, err, "it is a directory")
	case errors.Is(err, fs.ErrPermission):
		return notExecutable(name, err, "it is not executable for this user; chmod +x makes it so")
	case errors.Is(err, syscall.ENOEXEC):
		return notExecutable(name, err, "it is no program for this machine and has no #! line; run it by its interpreter")
	case errors.Is(err, syscall.EINVAL) && holdsNUL(s):
		return notExecutable(name, err, "an argument or a variable holds a NUL byte, which no program can be given")
	}
	return notExecutable(name, err, "%v", bare(err))
}

// holdsNUL reports whether the command can't be told to the system.
func holdsNUL(s *Spec) bool {
	return strings.ContainsRune(strings.Join(s.Argv, ""), 0) || strings.ContainsRune(strings.Join(s.Env, ""), 0) ||
		strings.ContainsRune(s.Dir, 0)
}

// bare is the cause without the names of call and file, which have been told.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
