//go:build linux || darwin

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio"
)

// hangGuard is far above what any step takes: it only turns a hang into a
// failure.
const hangGuard = time.Minute

// play acts as a child process and does not return.
func play(role string) {
	act, ok := map[string]func(){
		"stray":        roleStray,
		"unclaimed":    func() { strayPrints("early") },
		"closed":       roleClosed,
		"noStdout":     roleNoStdout,
		"noStderr":     roleNoStderr,
		"mirrored":     roleMirrored,
		"unmirror":     roleUnmirror,
		"deaf":         roleDeaf,
		"deafBare":     roleDeafBare,
		"write":        confined(roleWrite),
		"release":      roleRelease,
		"raw":          roleRaw,
		"rawUnclaimed": roleRawUnclaimed,
		"fewFiles":     confined(roleFewFiles),
		"noFiles":      confined(roleNoFiles),
		"watch":        roleWatch,
		"children":     roleChildren,
		"lines":        roleLines,
		"prose":        roleProse,
		"proseShared":  roleProseShared,
		"proseGone":    roleProseGone,
		"noisy":        roleNoisy,
		"sigpipe":      roleSIGPIPE,
		"chroot":       confined(roleChroot),
		"stdFile":      roleStdFile,
	}[role]
	if !ok {
		panic("no role " + role)
	}
	act()
	os.Exit(0)
}

// confined is for roles under limits that keep a build for coverage from writing
// its data at exit.
func confined(role func()) func() {
	return func() {
		role()
		syscall.Exit(0)
	}
}

// command returns this test binary in a role. Its streams are still to be set.
func command(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	check(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), hangGuard)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = childEnv(role, env...)
	return cmd
}

func childEnv(role string, env ...string) []string {
	// Race builds sleep a second at exit otherwise.
	return append(append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0"), env...)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must is check for roles.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func claimed() *stdio.Stdout {
	s, err := stdio.Claim()
	must(err)
	return s
}

func line(s io.Writer, text string) {
	_, err := io.WriteString(s, text+"\n")
	must(err)
}

// strayWays are the ways to print to stdout that a claim must catch; strayPrints
// uses each, with a mark that tells which.
var strayWays = [...]string{"fmt", "println", "log", "syscall", "file", "child", "grandchild"}

func strayPrints(when string) {
	fmt.Println("stray", when, "fmt")
	println("stray", when, "println") // the runtime's, to stderr in any case
	log.New(os.Stdout, "", 0).Println("stray", when, "log")
	_, err := syscall.Write(1, []byte("stray "+when+" syscall\n"))
	must(err)
	_, err = os.NewFile(1, "one").WriteString("stray " + when + " file\n")
	must(err)
	cmd := exec.Command("sh", "-c", "echo stray $0 child; sh -c 'echo stray $0 grandchild' $0", when)
	cmd.Stdout = os.Stdout
	must(cmd.Run())
}

func wantStrays(t *testing.T, where, text, when string) {
	t.Helper()
	for _, way := range strayWays {
		if !strings.Contains(text, "stray "+when+" "+way+"\n") {
			t.Errorf("%s: what was printed by %s is not there:\n%s", where, way, text)
		}
	}
}

func wantText(t *testing.T, where, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%s: no %q in %q", where, want, text)
	}
}

// fork starts a role with exactly these files, which os/exec would put into
// blocking mode, and can't leave closed. wait returns the exit status.
func fork(t *testing.T, role string, files []uintptr, env ...string) (wait func() int) {
	t.Helper()
	exe, err := os.Executable()
	check(t, err)
	pid, err := syscall.ForkExec(exe, []string{exe}, &syscall.ProcAttr{Env: childEnv(role, env...), Files: files})
	check(t, err)
	return func() int {
		var status syscall.WaitStatus
		within(t, "the child", func() { _, err = syscall.Wait4(pid, &status, 0, nil) })
		check(t, err)
		return status.ExitStatus()
	}
}

// exitCode waits for cmd. A death by signal is minus the signal.
func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -int(status.Signal())
	}
	return status.ExitStatus()
}

// within fails the test if f hangs.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(hangGuard):
		t.Fatalf("%s hangs", what)
	}
}

// identity is what tells open files apart.
func identity(fd int) string {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err.Error()
	}
	flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return fmt.Sprintf("dev %d ino %d rdev %d flags %d", st.Dev, st.Ino, st.Rdev, flags)
}
