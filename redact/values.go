package redact

import (
	"fmt"
	"strings"
)

const (
	// shortestValue is the shortest value that is looked for in texts.
	shortestValue = 8
	// longestValue bounds a value; what is longer is no password and no key.
	longestValue = 64 << 10
	// fewestBytes is how many different bytes a value must have.
	fewestBytes = 4
)

// addValues registers values, or says why not.
func (r *Redactor) addValues(k *known, list []Value) (warnings []Warning) {
	for i, v := range list {
		if v.Name == "" {
			v.Name = fmt.Sprintf("value %d", i+1)
		}
		text := strings.Trim(v.Value, " \t\r\n")
		if reason := r.unfit(text); reason != "" {
			warnings = append(warnings, Warning{v.Name, "not redacted: " + reason})
			continue
		}
		k.add(text)
		if strings.Contains(text, "\n") {
			// It can also be met line by line, or with other line ends.
			for line := range strings.Lines(text) {
				if line = strings.Trim(line, " \t\r\n"); r.unfit(line) == "" && !wordy(line) {
					k.add(line)
				}
			}
		}
	}
	return warnings
}

// unfit says why a value can't be looked for: it would be found where it is
// not meant.
func (r *Redactor) unfit(v string) string {
	switch {
	case v == "":
		return "it is empty"
	case len(v) < shortestValue:
		return fmt.Sprintf("it has %d bytes, and less than %d would be found in ordinary text", len(v), shortestValue)
	case len(v) > longestValue:
		return fmt.Sprintf("it has %d bytes; the most is %d", len(v), longestValue)
	case !hasLetter(v) && !hasDigit(v) && !beyondASCII(v):
		return "it is punctuation, which ordinary text and JSON have"
	case differentBytes(v) < fewestBytes:
		return "it repeats a few characters"
	case commonWord(v):
		return "it is a word that ordinary text has"
	case r.inMarker(v):
		return "it stands in the text that replaces secrets"
	}
	return ""
}

func beyondASCII(v string) bool {
	for i := range len(v) {
		if v[i] >= 0x80 {
			return true
		}
	}
	return false
}

func differentBytes(v string) int {
	var seen [256]bool
	n := 0
	for i := range len(v) {
		if !seen[v[i]] {
			seen[v[i]] = true
			n++
		}
	}
	return n
}

// commonWords are words of eight letters and more that programs and texts are
// full of, or that settings have for values.
const commonWords = " password passwords passphrase username database localhost undefined function continue " +
	"protected interface abstract required optional disabled settings document services security internal external " +
	"production development anonymous administrator postgres postgresql mongodb rabbitmq elasticsearch " +
	"changeme changeit redacted unlimited automatic readonly readwrite standard template language " +
	"american european contents response requests sessions messages children position property register " +
	"supports timestamp transient universal variable wildcard workspace container kubernetes namespace " +
	"application authorization authentication credential credentials secret-key private-key api-key-here " +
	"your-api-key your_api_key your-token placeholder not-a-secret 12345678 123456789 1234567890 0123456789 " +
	"abcdefgh abcdefghij qwertyuiop "

// commonWord reports whether v is one of them, in any case.
func commonWord(v string) bool {
	return len(v) < 24 && !strings.Contains(v, " ") && strings.Contains(commonWords, " "+strings.ToLower(v)+" ")
}

// inMarker reports whether v is a part of a replacement, or holds the start
// of one.
func (r *Redactor) inMarker(v string) bool {
	if strings.Contains(v, markerHead) {
		return true
	}
	for _, kind := range otherKinds {
		if strings.Contains(string(appendMarker(nil, kind)), v) {
			return true
		}
	}
	for _, list := range [...][]rule{rules[:], r.tokens} {
		for i := range list {
			if strings.Contains(string(appendMarker(nil, list[i].kind)), v) {
				return true
			}
		}
	}
	return false
}

// addHome registers what stands for a person: a directory and a name.
func (k *known) addHome(dir, user string) (warnings []Warning, err error) {
	dir = strings.TrimRight(dir, `/\`)
	switch {
	case dir == "":
	case dir[0] != '/' && !strings.Contains(dir, `:\`) && !strings.HasPrefix(dir, `\\`):
		return nil, fmt.Errorf("redact: home directory %q: it must be an absolute path", dir)
	case len(dir) < 4:
		warnings = append(warnings, Warning{"HomeDir", "not replaced: it is too short"})
	default:
		k.spell(form{text: dir, literal: "~", whole: true})
	}
	switch {
	case user == "":
	case len(user) < 4 || commonUser(user):
		warnings = append(warnings, Warning{"UserName", "not replaced: ordinary text has this word"})
	default:
		k.forms = append(k.forms, form{text: user, kind: kindUser, whole: true})
	}
	return warnings, nil
}

// commonUser reports whether a user name is a word for any user.
func commonUser(name string) bool {
	return oneOf(name, []string{"root", "admin", "user", "users", "guest", "test", "nobody", "ubuntu", "debian", "runner", "build", "node", "home", "git"}) || commonWord(name)
}

// FromEnviron returns the values of an environment, as [os.Environ] gives it,
// that are secret by their names: OPENAI_API_KEY, DB_PASSWORD, GITHUB_TOKEN.
// Values that are paths, and those that stand for none, are left out.
func FromEnviron(environ []string) []Value {
	var list []Value
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || value == "" || classify(name) == harmless {
			continue
		}
		if located(value) && wordyPath(value) || exempt(value) {
			continue
		}
		list = append(list, Value{Name: name, Value: value})
	}
	return list
}

// wordyPath reports whether a path is made of words and short parts, as names
// of files are, and base64 that begins with a slash is not.
func wordyPath(v string) bool {
	if strings.Contains(v, "://") {
		return !strings.Contains(v, "@") // an address, without a password in it
	}
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune(`/\._-~:`, r) }) {
		if len(part) >= 12 && hasDigit(part) && !wordy(part) {
			return false
		}
	}
	return true
}
