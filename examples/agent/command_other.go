//go:build !unix

package main

import "os/exec"

// ownGroup does nothing: the process itself is killed when the context is
// done, which is what there is without job objects.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
