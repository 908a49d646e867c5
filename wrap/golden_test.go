//go:build unix

package wrap_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/wrap"
)

var update = flag.Bool("update", false, "rewrite the golden runs in testdata")

// TestGoldenRuns: the bytes of a run are those that were recorded, but for what
// differs from run to run. Each program writes to one stream only, since the
// order between two is that of the reads.
func TestGoldenRuns(t *testing.T) {
	long := shell("printf '%0300d\\n' 0")
	long.MaxLine = 256
	for name, c := range map[string]wrap.Command{
		"success":  shell("echo one; echo two"),
		"failure":  shell("echo 'it went wrong' >&2; exit 7"),
		"notfound": {Argv: []string{"no-such-program-anywhere", "--token", "kJ8sQ2vXz9Lm4Tw7Rp3N"}},
		"signal":   shell("printf 'last words'; kill -KILL $$"),
		"parts":    long,
		"progress": shell(`printf '10%%\r50%%\r100%%\r\n\033[32mdone\033[0m\n'`),
		"bytes":    shell(`printf 'gr\374n W\000s\000l\000\n'`),
		"events":   shell(`echo '{"type":"result","subtype":"success","is_error":false}'`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := wrappedIn(t.Context(), t, emit.Options{}, c)
			got := emittest.Normalize(r.stream)
			for pattern, to := range map[string]string{
				`"cwd":"[^"]*"`: `"cwd":"/cwd"`, `"pid":\d+`: `"pid":1`, `"duration_ms":\d+`: `"duration_ms":0`,
			} {
				got = regexp.MustCompile(pattern).ReplaceAll(got, []byte(to))
			}
			path := filepath.Join("testdata", name+".jsonl")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the run is\n%s\nwant\n%s", got, want)
			}
		})
	}
}
