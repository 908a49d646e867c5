package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// maxEntries is how many files and directories a walk looks at: a prompt
	// may come from a directory that is no project.
	maxEntries = 10_000
	// maxRead is how much of one file is read.
	maxRead = 1 << 20
)

// localPath returns a path of the model's as one within the working directory.
func localPath(name string) (string, error) {
	clean := path.Clean(filepath.ToSlash(name))
	if !fs.ValidPath(clean) {
		return "", fmt.Errorf("%q is not in the working directory: give a path relative to it", name)
	}
	return clean, nil
}

// walk calls visit for each regular file below dir whose name matches the
// pattern, if there is one. Hidden files and other people's code are left out.
// It reports whether it gave up because there was too much.
func walk(ctx context.Context, files fs.FS, dir, pattern string, visit func(name string, info fs.FileInfo) error) (more bool, err error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return false, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	if dir, err = localPath(dir); err != nil {
		return false, err
	}
	entries := 0
	err = fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
		entries++
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == dir:
			return err
		case entries > maxEntries:
			more = true
			return fs.SkipAll
		case err != nil:
			return nil // a directory that can't be read is passed over
		case name != dir && leftOut(d):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		if matches, _ := path.Match(pattern, d.Name()); pattern != "" && !matches {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // it has gone meanwhile
		}
		return visit(name, info)
	})
	return more, err
}

// leftOut reports whether a walk passes over an entry.
func leftOut(d fs.DirEntry) bool {
	name := d.Name()
	return strings.HasPrefix(name, ".") || d.IsDir() && (name == "node_modules" || name == "vendor")
}

// count returns a number as a value, which is a lower bound where there was
// more.
func count(n int, more bool) string {
	if more {
		return "more than " + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// listFiles lists the files of a directory and those below it.
func listFiles(ctx context.Context, a *agent, c call) (output, error) {
	args := struct{ Path, Pattern string }{Path: "."}
	if err := decode(c, &args); err != nil {
		return output{}, err
	}
	var list bytes.Buffer
	var total, largest int64
	values := map[string]string{}
	kinds := tally{}
	n, hidden := 0, 0
	more, err := walk(ctx, a.files, args.Path, args.Pattern, func(name string, info fs.FileInfo) error {
		n++
		total += info.Size()
		kinds[path.Ext(name)]++
		if n == 1 || info.Size() > largest {
			largest = info.Size()
			values["largest"] = valid(name)
		}
		if list.Len() > maxText {
			hidden++
			return nil
		}
		fmt.Fprintf(&list, "%s\t%d\n", name, info.Size())
		return nil
	})
	if err != nil {
		return output{}, err
	}
	out := output{text: valid(list.String()), path: args.Path, values: values}
	if hidden > 0 {
		out.text += fmt.Sprintf("[%s more were left out]\n", plural(int64(hidden), "file"))
	}
	if more {
		out.text += fmt.Sprintf("[there is more than the %d entries that were looked at]\n", maxEntries)
	}
	values["count"], values["size"] = count(n, more), size(total)
	out.summary = fmt.Sprintf("%s, %s", plural(int64(n), "file"), size(total))
	if kind := kinds.top(); kind != "" {
		values["extension"] = valid(kind)
		out.summary += fmt.Sprintf(", %d of them %s", kinds[kind], valid(kind))
	}
	if more {
		values["size"] = "more than " + values["size"]
		out.summary = "at least " + out.summary
	}
	return out, nil
}

// A tally counts names.
type tally map[string]int

// top returns the name that was counted most, "" not counted.
func (t tally) top() string {
	best := ""
	for name, n := range t {
		if name != "" && (n > t[best] || best == "" || n == t[best] && name < best) {
			best = name
		}
	}
	return best
}

// readFile returns the text of a file.
func readFile(_ context.Context, a *agent, c call) (output, error) {
	var args struct{ Path string }
	if err := decode(c, &args); err != nil {
		return output{}, err
	}
	out := output{path: args.Path}
	data, info, err := readRegular(a.files, args.Path)
	if err != nil {
		return out, err
	}
	rest := int(info.Size()) - len(data)
	if isBinary(data) {
		return out, fmt.Errorf("%s is not text (%s)", args.Path, size(info.Size()))
	}
	n := lineCount(data)
	out.text = clip(valid(string(data)), max(rest, 0))
	out.summary = fmt.Sprintf("%s %s, %s", count(n, rest > 0), noun(int64(n), "line"), size(info.Size()))
	out.values = map[string]string{
		"lines": count(n, rest > 0),
		"bytes": strconv.FormatInt(info.Size(), 10),
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(out.text), "\n"); first != "" {
		out.values["first"] = first
	}
	return out, nil
}

// readRegular reads the beginning of a regular file: opening a FIFO or a
// device could wait for ever. An empty file is not read at all, for those of
// /proc say that they are empty, and some of them wait, too.
func readRegular(files fs.FS, name string) ([]byte, fs.FileInfo, error) {
	clean, err := localPath(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := fs.Stat(files, clean)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return nil, nil, fmt.Errorf("%s: %w", name, path.Err)
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errors.New(name + " is not a regular file")
	case info.Size() == 0:
		return nil, info, nil
	}
	f, err := files.Open(clean)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead))
	return data, info, err
}

// isBinary reports whether data is no text, by the sign that git goes by.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// lineCount counts lines; the last one needs no newline.
func lineCount(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
