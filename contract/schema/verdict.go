package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/streamjson/streamjson/contract"
)

// A Verdict is what contract.CheckOptions.Schema asks for: the faults of one
// JSON text, or an error if it can't be judged. It is safe for concurrent use.
type Verdict func(json []byte) ([]contract.Fault, error)

// Lines returns the verdict on lines of a stream.
func Lines(reader bool) (Verdict, error) {
	build := lineProducer
	if reader {
		build = lineReader
	}
	j, err := build()
	if err != nil {
		return nil, err
	}
	return j.verdict, nil
}

// Envelopes returns the verdict on envelopes.
func Envelopes(reader bool) (Verdict, error) {
	build := envelopeProducer
	if reader {
		build = envelopeReader
	}
	j, err := build()
	if err != nil {
		return nil, err
	}
	return j.verdict, nil
}

// A judge is a compiled schema.
type judge struct {
	schema *jsonschema.Schema
}

// compile compiles one of our documents.
func compile(document []byte) (*judge, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("the embedded schema is no JSON: %w", err)
	}
	root, ok := doc.(map[string]any)
	id, _ := root["$id"].(string)
	if !ok || id == "" {
		return nil, errors.New("the embedded schema has no $id")
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource(id, doc); err != nil {
		return nil, fmt.Errorf("the embedded schema can't be used: %w", err)
	}
	s, err := c.Compile(id)
	if err != nil {
		return nil, fmt.Errorf("the embedded schema is none: %w", err)
	}
	return &judge{schema: s}, nil
}

// noLoader refuses to fetch: our schemas refer to nothing outside themselves.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %s, which is not part of it", url)
}

func (j *judge) verdict(json []byte) ([]contract.Fault, error) {
	value, err := decode(json)
	if err != nil {
		return nil, err
	}
	err = j.schema.Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &invalid):
		return nil, err
	}
	faults := appendFaults(nil, invalid)
	slices.SortFunc(faults, func(a, b contract.Fault) int {
		return strings.Compare(a.Pointer+"\x00"+a.Found, b.Pointer+"\x00"+b.Found)
	})
	return slices.Compact(faults), nil
}

// appendFaults collects the leaves of a tree of causes.
func appendFaults(dst []contract.Fault, e *jsonschema.ValidationError) []contract.Fault {
	at := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			dst = appendFaults(dst, cause)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			dst = append(dst, contract.Fault{Pointer: at + pointer([]string{name}), Found: "no such member", Want: name + ", which is required here"})
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			dst = append(dst, contract.Fault{Pointer: at + pointer([]string{name}), Found: "a member that the contract does not list", Want: "provider detail in extension, host detail in _meta"})
		}
	default:
		f := contract.Fault{Pointer: at}
		f.Found, f.Want = describe(e)
		dst = append(dst, f)
	}
	return dst
}

// describe puts one fault into words.
func describe(e *jsonschema.ValidationError) (found, want string) {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return "a value of type " + k.Got, strings.Join(k.Want, " or ")
	case *kind.Const:
		return short(k.Got), short(k.Want)
	case *kind.Pattern:
		return short(k.Got), "a text like " + k.Want
	case *kind.Format:
		return short(k.Got), "a " + k.Want
	case *kind.MinLength:
		return "a string of length " + strconv.Itoa(k.Got), "at least " + strconv.Itoa(k.Want)
	case *kind.Minimum:
		return k.Got.RatString(), "at least " + k.Want.RatString()
	case *kind.FalseSchema:
		return "a member that has no place here", "the line without it"
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		return "another number of the items that the schema asks for", keyword(e)
	}
	return "what the schema excludes", keyword(e)
}

// keyword names the place in the schema that a fault is about.
func keyword(e *jsonschema.ValidationError) string {
	_, at, _ := strings.Cut(e.SchemaURL, "#")
	return "see the schema at " + at + pointer(e.ErrorKind.KeywordPath())
}

// short spells a value for people.
func short(v any) string {
	s := fmt.Sprintf("%v", v)
	if text, ok := v.(string); ok {
		s = strconv.Quote(text)
	}
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// pointer writes a JSON pointer.
func pointer(tokens []string) string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(escape.Replace(t))
	}
	return b.String()
}
