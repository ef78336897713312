package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

func TestSatisfiableWarnings(t *testing.T) {
	loop := func(allow ...string) round.Boundary {
		b := wide()
		b.Allow = allow
		return b
	}
	tests := map[string]struct {
		task     task.Task
		boundary round.Boundary
		want     []string
	}{
		"a task that can be done":                   {task.Task{Goal: "Search ignores diacritics", Allow: []string{"src/**"}}, wide(), nil},
		"tests wanted where they may be added":      {task.Task{Goal: "Add tests for search", Allow: []string{"src/**"}}, wide(), nil},
		"tests wanted, one file allowed":            {task.Task{Goal: "Fix the parser. Write a unit test for it.", Allow: []string{"src/parse.mjs"}}, wide(), []string{"goal tests_not_allowed"}},
		"tests wanted in the title":                 {task.Task{Title: "Parser with tests", Goal: "x", Allow: []string{"src/parse.mjs"}}, wide(), []string{"goal tests_not_allowed"}},
		"tests wanted, every test protected":        {task.Task{Goal: "Add tests", Allow: []string{"**/*_test.go"}, Protect: []string{"**/*_test.go"}}, wide(), []string{"goal tests_not_allowed"}},
		"tests wanted, one test file allowed":       {task.Task{Goal: "Extend the test", Allow: []string{"acceptance/isbn.test.mjs"}}, wide(), nil},
		"tests wanted, several folders allowed":     {task.Task{Goal: "Add tests", Allow: []string{"{lib,src}/**/*.py"}}, wide(), nil},
		"tests wanted below any folder":             {task.Task{Goal: "Add tests", Allow: []string{"*/src/**"}}, wide(), nil},
		"tests of Rust stand in the source":         {task.Task{Goal: "Add tests", Allow: []string{"src/lib.rs"}}, wide(), nil},
		"a test that only has to pass":              {task.Task{Goal: "Update search so that the failing test passes", Allow: []string{"src/search.mjs"}}, wide(), nil},
		"a fix until the tests pass":                {task.Task{Goal: "Write code to make the acceptance tests pass", Allow: []string{"src/search.mjs"}}, wide(), nil},
		"a file wanted that is protected":           {task.Task{Goal: "Update the file .github/workflows/ci.yml"}, wide(), []string{"goal path_out_of_reach"}},
		"a file wanted that is not allowed":         {task.Task{Goal: "Edit `docs/search.md`", Allow: []string{"src/**"}}, wide(), []string{"goal path_out_of_reach"}},
		"a file only spoken of":                     {task.Task{Goal: "Do what docs/search.md says", Allow: []string{"src/**"}}, wide(), nil},
		"a rule outside of what loop.yaml allows":   {task.Task{Goal: "x", Allow: []string{"docs/**", "src/a*"}}, loop("src/**"), []string{"allow[0] allow_is_empty"}},
		"a rule for a file that is protected":       {task.Task{Goal: "x", Allow: []string{"loop.yaml"}}, wide(), []string{"allow[0] allow_is_empty"}},
		"a rule that begins with a wildcard may be": {task.Task{Goal: "x", Allow: []string{"**/*.go"}}, loop("src/**"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, f := range SatisfiableWarnings(tt.task, tt.boundary, shop) {
				got = append(got, f.Field+" "+f.Code)
			}
			if diff := cmp.Diff(append([]string{}, tt.want...), got); diff != "" {
				t.Errorf("SatisfiableWarnings differs (-want +got):\n%s", diff)
			}
		})
	}
}
