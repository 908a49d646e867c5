package emit

import "fmt"

// A Format is what a run writes to stdout. It is a flag.Value, and a
// pflag.Value, for a flag --output-format.
type Format uint8

// The formats. All three run the same code: the same checks, the same
// accounting, the same final text and the same exit code (contract F12).
const (
	// FormatStreamJSON writes one JSON object a line (contract section 1).
	FormatStreamJSON Format = iota
	// FormatJSON writes the result object alone, indented.
	FormatJSON
	// FormatText writes the final text alone, or the text as it comes where
	// Options.Partial is set.
	FormatText
)

// String returns the format's name: stream-json, json or text.
func (f Format) String() string {
	switch f {
	case FormatStreamJSON:
		return "stream-json"
	case FormatJSON:
		return "json"
	case FormatText:
		return "text"
	default:
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
}

// Set sets the format by its name.
func (f *Format) Set(name string) error {
	for _, known := range []Format{FormatStreamJSON, FormatJSON, FormatText} {
		if name == known.String() {
			*f = known
			return nil
		}
	}
	return fmt.Errorf("%q is none of stream-json, json and text", name)
}

// Type returns what the usage text of a pflag.Value names.
func (f *Format) Type() string { return "format" }

// machine reports whether a program reads the output.
func (f Format) machine() bool { return f != FormatText }
