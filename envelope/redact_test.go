package envelope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/redact"
)

// token is one that the default rules know; its parts are joined here, so that
// this file holds none.
const token = "ghp_" + "016C7ffVc4HmJbRgY9bLb2zWqVEuwo2k3J8x"

// leak is what must not be seen of it.
const leak = "ffVc4HmJ"

// TestRedaction: what is secret leaves the process nowhere, by default; row 139:
// an error that wraps a JSON body with newlines and secrets.
func TestRedaction(t *testing.T) {
	body := fmt.Sprintf("500 from upstream: {\n \"error\": \"bad \\u001b[31mtoken\\u001b[0m\",\n \"authorization\": \"Bearer %s\"\n}\n", token)
	stdout, stderr, code := inMemory(context.Background(), envelope.RunOptions{JSON: true}, func(_ context.Context, call *envelope.Call) (any, error) {
		call.Warn("retrying with " + token)
		return map[string]any{"password": "hunter2 hunter2", "text": "use " + token, token: 1, "port": 8080}, envelope.WithHint(errors.New(body), "check "+token)
	})
	e := mustParse(t, []byte(stdout))
	if code != 1 || len(e.Errors) != 2 || len(e.Warnings) != 1 {
		t.Errorf("status %d, %s", code, stdout)
	}
	if strings.Contains(stdout+stderr, leak) || strings.Contains(stdout, "hunter2") {
		t.Errorf("a secret is out:\n%s\n%s", stdout, stderr)
	}
	if strings.Count(stdout, "[REDACTED:") < 6 || !strings.Contains(stderr, "[REDACTED:") || !strings.Contains(stdout, "8080") {
		t.Errorf("not redacted, or too much:\n%s\n%s", stdout, stderr)
	}

	doc, _, _ := emit(t, token, envelope.Fail(token), envelope.Warn(token))
	if mustParse(t, []byte(doc)); strings.Contains(doc, leak) {
		t.Errorf("EmitJSON: a secret is out:\n%s", doc)
	}
	doc, _, _ = emit(t, token, envelope.Fail(token), envelope.Warn(token), envelope.Redact(redact.None()))
	if mustParse(t, []byte(doc)); strings.Count(doc, leak) != 3 {
		t.Errorf("None redacts:\n%s", doc)
	}
}

// TestRedactionBehindEscapes: neither a terminal's escape sequence nor JSON's own
// escapes hide a secret.
func TestRedactionBehindEscapes(t *testing.T) {
	split := token[:10] + "\x1b[0m" + token[10:]
	spelled, err := json.Marshal(map[string]string{"x": token})
	if err != nil {
		t.Fatal(err)
	}
	spelled = bytes.Replace(spelled, []byte("ghp_"), []byte(`gh\u0070_`), 1)
	doc, _, err := emit(t, json.RawMessage(spelled), envelope.Fail(split))
	if mustParse(t, []byte(doc)); err != nil || strings.Contains(doc, leak) || strings.Count(doc, "[REDACTED:") != 2 {
		t.Errorf("%v\n%s", err, doc)
	}
}

// TestEnvironmentSecrets: Run knows the secrets of the environment, also in the
// trace of a panic; EmitJSON doesn't look at it.
func TestEnvironmentSecrets(t *testing.T) {
	const secret = "correct-horse-battery-9"
	t.Setenv("MYTOOL_DB_PASSWORD", secret)
	stdout, stderr, code := inMemory(context.Background(), envelope.RunOptions{JSON: true}, func(context.Context, *envelope.Call) (any, error) {
		panic("can't log in as root with " + secret)
	})
	if mustParse(t, []byte(stdout)); code != 1 || strings.Contains(stdout+stderr, secret) || !strings.Contains(stderr, "goroutine") {
		t.Errorf("status %d\n%s\n%s", code, stdout, stderr)
	}
	o := envelope.RunOptions{JSON: true, Redactor: redact.None()}
	if stdout, _, _ = inMemory(context.Background(), o, func(context.Context, *envelope.Call) (any, error) { return secret, nil }); !strings.Contains(stdout, secret) {
		t.Errorf("None redacts:\n%s", stdout)
	}
	if doc, _, _ := emit(t, os.Getenv("MYTOOL_DB_PASSWORD")); !strings.Contains(doc, secret) {
		t.Errorf("EmitJSON has looked at the environment:\n%s", doc)
	}
}
