package emit

// Pin gives a run the ids and the directory of a recorded one.
func Pin(e *Emitter, cwd, runID string) { e.stream.cwd, e.stream.runID = cwd, runID }
