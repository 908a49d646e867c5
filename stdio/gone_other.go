//go:build !unix && !windows

package stdio

func isGone(error) bool { return false }

func isHangUp(error) bool { return false }
