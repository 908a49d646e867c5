package load

import (
	"context"
	"runtime/debug"
	"time"
)

// settling is how long a process gets to come to rest: the garbage collector
// and the scheduler have an end to reach after the last line.
const settling = 300 * time.Millisecond

// Wakeups returns how often threads of this process are woken up while it does
// nothing for d, those of the waiting itself included; false where the system
// doesn't tell. The process should be alone with what is idle in it.
func Wakeups(ctx context.Context, d time.Duration) (int64, bool) {
	debug.FreeOSMemory() // or the scavenger would wake up for the garbage of the run
	pause(ctx, settling)
	before, ok := Switches()
	pause(ctx, d)
	after, _ := Switches()
	return after - before, ok
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
