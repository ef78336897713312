package event

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/recovery"
)

func cases(t testing.TB, name string) [][]byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// generator-errors are outputs of real CLIs; further-errors are other texts in
// the forms that users report, and what must not be taken for an error;
// vendor-errors say the same in the words of many services, proxies and systems.
func TestSavedOutputsAreClassifiedAsExpected(t *testing.T) {
	for name, count := range map[string]int{"generator-errors.jsonl": 56, "further-errors.jsonl": 162, "vendor-errors.jsonl": 413} {
		lines := cases(t, name)
		if len(lines) != count {
			t.Errorf("%s has %d cases; want %d", name, len(lines), count)
		}
		for i, line := range lines {
			c, err := ReadCase(line)
			if err != nil {
				t.Errorf("%s:%d: %v", name, i+1, err)
				continue
			}
			if c.Expected == nil {
				t.Errorf("%s:%d expects nothing", name, i+1)
			}
			r := c.Classify(nil)
			for _, m := range r.Mismatch {
				t.Errorf("%s:%d: %s, %s: %s by %s\n%s", name, i+1, c.CLI, c.Source, m, r.Rule, c.Output)
			}
		}
	}
}

func TestClassifyCase(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"a case": {`{"cli":"cn","exit_code":1,"stderr_or_output":"{\"status\":\"error\",\"message\":\"429, try again in 3s\"}"}`,
			`{"category":"rate_limited","retryable":true,"retry_after_s":3,"rule":"api-error"}`},
		"a case with a byte order mark": {"\ufeff" + `{"cli":"any","exit_code":0,"stderr_or_output":"ok"}`,
			`{"category":"none","retryable":false,"retry_after_s":null,"rule":"success"}`},
		"one saved output": {"Error: connect ECONNREFUSED 127.0.0.1:80",
			`{"category":"network","retryable":true,"retry_after_s":null,"rule":"connection"}`},
		"one saved event": {`{"type":"turn.failed","error":{"message":"Quota exceeded"}}`,
			`{"category":"quota_exhausted","retryable":false,"retry_after_s":null,"rule":"quota-exceeded"}`},
	} {
		r, err := ClassifyCase([]byte(test.in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := json.Marshal(r)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, test.want)
		}
	}
}

func TestACaseOfTheWrongFormIsAnError(t *testing.T) {
	for name, line := range map[string]string{
		"an exit code in quotes":    `{"exit_code":"1","stderr_or_output":""}`,
		"an output that is no text": `{"stderr_or_output":7}`,
		"retryable is no truth":     `{"stderr_or_output":"","expected_category":"none","retryable":"no"}`,
	} {
		if r, err := ClassifyCase([]byte(line)); err == nil {
			t.Errorf("%s: %+v; want an error", name, r)
		}
	}
}

func TestMismatchesAreTold(t *testing.T) {
	c, err := ReadCase([]byte(`{"cli":"any","exit_code":1,"stderr_or_output":"429, try again in 6.034s","expected_category":"auth","retryable":false,"retry_after_s":5}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"category is rate_limited, expected auth", "retryable is true, expected false", "retry_after_s is 6.034, expected 5",
	}
	if diff := cmp.Diff(c.Classify(nil).Mismatch, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	for expected, same := range map[float64]bool{6.034: true, 7: true, 6: false, 8: false} {
		got := 6.034
		if sameWait(&got, &expected) != same {
			t.Errorf("sameWait(6.034, %v) = %t; want %t", expected, !same, same)
		}
	}
}

func FuzzClassifyCase(f *testing.F) {
	for _, name := range []string{"generator-errors.jsonl", "further-errors.jsonl", "vendor-errors.jsonl"} {
		for _, line := range cases(f, name) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ClassifyCase(line)
		if err != nil {
			return
		}
		if r.Category != recovery.None && !recovery.KnownCategory(r.Category) {
			t.Errorf("category %q is not known", r.Category)
		}
		if r.Rule == "" {
			t.Error("no rule is named")
		}
		if r.RetryAfterS != nil && (*r.RetryAfterS < 0 || *r.RetryAfterS > 8*24*3600) {
			t.Errorf("retry_after_s %v is out of bounds", *r.RetryAfterS)
		}
	})
}

func FuzzFromOutput(f *testing.F) {
	f.Add("codex", 1, "{\"type\":\"turn.failed\",\"error\":{\"message\":\"x\"}}")
	f.Add("openai-api", 0, "{\"choices\":[{\"finish_reason\":\"length\"}]}")
	f.Add("any", -9, "looprun: generator killed after 1s without exit")
	f.Add("claude", 0, "Error: String to replace not found in file.")
	f.Fuzz(func(t *testing.T, cli string, exit int, output string) {
		for _, e := range []*int{nil, &exit} {
			s := FromOutput(cli, e, output)
			if a, b := recovery.Classify(s, nil), recovery.Classify(FromOutput(cli, e, output), nil); a.Category != b.Category || a.Rule != b.Rule {
				t.Errorf("the same output is %s by %s and %s by %s", a.Category, a.Rule, b.Category, b.Rule)
			}
		}
	})
}
