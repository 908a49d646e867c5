package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// explained are the files of Go's own tree that hold credentials, or what is
// spelled like them, on purpose. What is found there is right: the same text in
// an agent's output would have to go.
var explained = []struct{ path, why string }{
	{"cmd/go/internal/auth/", "passwords and Basic credentials of the tests of go's own authentication"},
	{"cmd/auth/", "passwords of the tests and examples of authentication helpers"},
	{"cmd/go/testdata/", "a .netrc, and passwords of a test server"},
	{"cmd/go/internal/vcweb/", "passwords of a test server"},
	{"cmd/go/internal/web/", "a .netrc of a test"},
	{"cmd/go/alldocs.go", "Basic credentials in the manual of go"},
	{"cmd/go/internal/help/", "Basic credentials in the manual of go"},
	{"cmd/go/internal/modfetch/", "a password of a test server"},
	{"crypto/hpke/", "secret keys and secrets of published test vectors"},
	{"crypto/ecdh/", "private keys of published test vectors"},
	{"crypto/tls/", "private keys of tests in PEM"},
	{"crypto/x509/", "private keys of tests in PEM"},
	{"crypto/internal/", "keys of published test vectors"},
	{"golang.org/x/crypto", "keys of published test vectors"},
	{"net/http/", "Basic credentials, cookies and passwords in URLs, of tests and comments"},
	{"net/textproto/", "cookies of a recorded request"},
	{"net/url/", "passwords in URLs, of tests and comments"},
	{"os/user/", "a password of a test"},
	{"runtime/secret/", "the secret of a test"},
	{"santhosh-tekuri/jsonschema", "the token of a badge in the query of its URL"},
}

const mostCorpus = 120 << 20

// Ordinary text stays as it is: at most one false alarm in 10 MB.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("the corpus is too large for a short run or the race detector")
	}
	c := corpus{t: t, kinds: map[string]int{}, known: map[string]int{}}
	for _, dir := range goDirs(t) {
		c.tree(dir)
	}
	c.generated()
	const mb = 1 << 20
	if c.bytes < 20*mb {
		t.Skipf("SKIPPED: only %d MB of text were found on this machine; 20 are needed", c.bytes/mb)
	}
	t.Logf("%d MB of text, false alarms by kind: %v", c.bytes/mb, c.kinds)
	for why, n := range c.known {
		t.Logf("right, %4d: %s", n, why)
	}
	sort.Strings(c.alarms)
	for _, a := range c.alarms {
		t.Log(a)
	}
	if n := len(c.alarms); n > c.bytes/(10*mb) {
		t.Errorf("%d false alarms in %d MB: more than one in 10 MB", n, c.bytes/mb)
	}
}

// goDirs are the places where Go keeps text.
func goDirs(t *testing.T) []string {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Logf("go env: %v", err)
		return nil
	}
	root, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return []string{filepath.Join(root, "src"), filepath.Join(root, "doc"), filepath.Join(root, "test"), cache}
}

type corpus struct {
	t      *testing.T
	bytes  int
	kinds  map[string]int
	known  map[string]int
	alarms []string
}

func (c *corpus) tree(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if c.bytes > mostCorpus {
			return filepath.SkipAll
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".html", ".txt", ".s", ".mod", ".sum", ".js", ".css", ".json", ".yaml", ".yml", ".h", ".c", ".sh", ".py":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			c.add(filepath.ToSlash(path), string(text))
		}
		return nil
	})
	if err != nil {
		c.t.Logf("%s: %v", dir, err)
	}
}

// add looks for secrets in a text.
func (c *corpus) add(path, text string) {
	c.bytes += len(text)
	counts := map[string]int{}
	out := redact.Default().RedactCounting(text, counts)
	if out == text {
		return
	}
	for _, e := range explained {
		if strings.Contains(path, e.path) {
			for _, n := range counts {
				c.known[e.path+": "+e.why] += n
			}
			return
		}
	}
	for kind, n := range counts {
		c.kinds[kind] += n
	}
	for line := range strings.Lines(out) {
		if n := strings.Count(line, "[REDACTED:"); n > 0 && !strings.Contains(text, line) {
			for range n {
				c.alarms = append(c.alarms, fmt.Sprintf("alarm: %s: %.200s", path, strings.TrimSpace(line)))
			}
		}
	}
}

// generated adds what looks random and is no secret.
func (c *corpus) generated() {
	r := rand.New(rand.NewPCG(20, 26))
	some := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	var ids, uuids, images, minified strings.Builder
	for range 20_000 {
		id := hex.EncodeToString(some(20))
		fmt.Fprintf(&ids, "commit %s\ntree %s\nindex %s..%s 100644\n", id, hex.EncodeToString(some(20)), id[:10], id[10:20])
		u := hex.EncodeToString(some(16))
		fmt.Fprintf(&uuids, `{"id":"%s-%s-%s-%s-%s","next_page_token":"%s"}`+"\n", u[:8], u[8:12], u[12:16], u[16:20], u[20:], base64.StdEncoding.EncodeToString(some(18)))
	}
	for range 100 {
		fmt.Fprintf(&images, "<img src=\"data:image/png;base64,%s\">\n", base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), some(20_000)...)))
		fmt.Fprintf(&images, "url(data:font/woff2;base64,%s)\n", base64.URLEncoding.EncodeToString(some(5_000)))
	}
	for i := range 3_000 {
		doc, err := json.Marshal(map[string]any{
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(some(64)), "resolved": "https://registry.example.org/a/-/a-1.2.3.tgz",
			"usage": map[string]int{"input_tokens": i, "output_tokens": i * 2}, "max_tokens": 4096, "key": fmt.Sprintf("item%d", i), "etag": hex.EncodeToString(some(16)),
			"session_id": "sess_01" + hex.EncodeToString(some(12)), "tool_use_id": "toolu_01" + base64.RawURLEncoding.EncodeToString(some(16)), "model": "model-4-5-20250929", "stop": nil,
		})
		if err != nil {
			c.t.Fatal(err)
		}
		minified.Write(doc)
	}
	c.add("generated git ids", ids.String())
	c.add("generated UUIDs", uuids.String())
	c.add("generated images", images.String())
	c.add("generated JSON", minified.String())
}
