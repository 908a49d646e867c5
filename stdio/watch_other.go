//go:build !linux && !darwin

package stdio

// WatchReader can't notice a gone reader on this system: gone is never called
// and stop does nothing. The next write will tell.
func (s *Stdout) WatchReader(gone func(error)) (stop func()) { return func() {} }
