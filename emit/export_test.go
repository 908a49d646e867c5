package emit

// Pin gives a run the ids and the directory of a recorded one.
func Pin(e *Emitter, cwd, runID string) { e.stream.cwd, e.stream.runID = cwd, runID }

// Pending reports whether a line waits behind a write.
func Pending(e *Emitter) bool {
	e.stream.mu.Lock()
	defer e.stream.mu.Unlock()
	return len(e.stream.out.pending) > 0
}
