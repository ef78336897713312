package event

import (
	"bytes"
	"os"
	"testing"
)

func TestSavedOutputsAreClassifiedAsExpected(t *testing.T) {
	data, err := os.ReadFile("testdata/generator-errors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) != 56 {
		t.Fatalf("read %d cases; want 56", len(lines))
	}
	for i, line := range lines {
		c, err := ReadCase(line)
		if err != nil {
			t.Errorf("case %d: %v", i+1, err)
			continue
		}
		r := c.Classify(nil)
		for _, m := range r.Mismatch {
			t.Errorf("case %d, %s, %s: %s (rule %s)\n%s", i+1, c.CLI, c.Source, m, r.Rule, c.Output)
		}
	}
}
