package round

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A rule that is named in the source and not in words would be shown to people
// as a bare name; words for a rule that is gone would never be shown.
func TestEveryRuleIsPutIntoWords(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\b(?:stop|hold|ask|answer)\("(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			named[m[1]] = true
		}
	}
	for rule := range named {
		if Because(rule) == rule {
			t.Errorf("rule %s has no words", rule)
		}
	}
	for rule := range because {
		if !named[rule] {
			t.Errorf("%s is put into words, and is no rule", rule)
		}
	}
}
