package round

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The table of evidence scripts is played by other hosts as well. Where
// LOOPRUN_TABLE names a file, the journal of each case, as the core alone plays
// it, is written there, one a line.
func TestTableOfJournals(t *testing.T) {
	path := os.Getenv("LOOPRUN_TABLE")
	if path == "" {
		t.Skip("LOOPRUN_TABLE names no file")
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		for _, c := range readCases(t, file) {
			_, h := play(t, c.given)
			line := map[string]any{"name": strings.TrimPrefix(strings.SplitN(c.given, "\n", 2)[0], "# "), "events": h.journal}
			if err := json.NewEncoder(f).Encode(line); err != nil {
				t.Fatal(err)
			}
		}
	}
}
