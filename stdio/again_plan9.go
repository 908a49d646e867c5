package stdio

// isAgain tells whether err is EAGAIN, which Plan 9 does not have.
func isAgain(error) bool { return false }
