package sonicjson_test

import "golang.org/x/sys/unix"

// refuseExec forbids the process to make memory executable, as systemd's
// MemoryDenyWriteExecute does (Linux 6.3).
func refuseExec() error {
	return unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)
}
