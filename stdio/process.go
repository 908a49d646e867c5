package stdio

import "sync"

// process is what this package has done to the process, which has one stdout,
// one stderr, and one table of descriptors.
var process struct {
	sync.Mutex
	claim *Stdout   // what Claim returned, until its Release
	prose *Prose    // what ClaimProse returned
	inUse []uintptr // what Reserve gave out
}
