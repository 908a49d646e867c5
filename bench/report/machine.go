package main

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
)

func machine(rounds int) report.Machine {
	return report.Machine{
		CPU: processor(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Cores: runtime.NumCPU(),
		Date: time.Now().UTC().Format(time.DateOnly), Modules: modules(), Rounds: rounds,
	}
}

// processor returns the name of the processor, as far as the system tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "a processor of unknown name"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor of unknown name"
}

// modules returns the versions of the libraries that were compared.
func modules() [][2]string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var list [][2]string
	seen := map[string]bool{}
	for _, lib := range rival.Libraries() {
		for _, dep := range info.Deps {
			if dep.Path == lib.Module && !seen[dep.Path] {
				seen[dep.Path] = true
				list = append(list, [2]string{dep.Path, dep.Version})
			}
		}
	}
	return list
}
