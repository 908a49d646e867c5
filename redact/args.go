package redact

import "strings"

// Args returns the arguments of a command with the secrets in them replaced:
// the values of flags with sensitive names (--token x, --token=x), passwords
// behind user names (curl's -u name:password), and what [Redactor.String]
// finds in each. The arguments themselves are not changed.
func (r *Redactor) Args(args []string) []string {
	if !r.Enabled() {
		return args
	}
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = r.String(arg)
		name, value, joined := strings.Cut(arg, "=")
		if joined && isFlag(name) && r.covers(name) {
			out[i] = name + "=" + r.cover(value, nil)
		}
		if i == 0 || strings.Contains(args[i-1], "=") {
			continue
		}
		switch flag := args[i-1]; {
		case isFlag(flag) && r.covers(flag) && !isFlag(arg):
			out[i] = r.cover(arg, nil)
		case flag == "-u" || flag == "--user" || flag == "--proxy-user":
			if user, password, ok := strings.Cut(arg, ":"); ok && password != "" {
				out[i] = r.String(user) + ":" + r.cover(password, nil)
			}
		}
	}
	return out
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' && !isDigit(arg[1]) }
