package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// wide is the boundary of a loop.yaml that says nothing.
func wide() round.Boundary {
	return round.Boundary{Allow: []string{"**"}, MaxFiles: 50, MaxLines: 2000, MaxBytes: 4 << 20}
}

func withTask(allow, protect []string) round.Boundary {
	b := wide()
	b.TaskAllow, b.TaskProtect = allow, protect
	return b
}

func withProtect(rules ...string) round.Boundary {
	b := wide()
	b.Protect = rules
	return b
}

func edited(paths ...string) round.Candidate {
	var c round.Candidate
	for _, p := range paths {
		c.Changed = append(c.Changed, round.Change{Path: p, Status: "M", OldMode: "100644", NewMode: "100644", Added: 1})
	}
	return c
}

func changed(ch ...round.Change) round.Candidate { return round.Candidate{Changed: ch} }

func codes(list []signature.BoundaryError) []string {
	out := []string{}
	for _, e := range list {
		out = append(out, strings.TrimSpace(e.Code+" "+e.Path))
	}
	return out
}

// shop is a repository whose profiles name files in several ways.
var shop = NewBuiltin("loop.yaml", map[string][]round.Check{
	"unit":   {{Run: []string{"npm", "test"}}},
	"search": {{Run: []string{"node", "--test", "acceptance/search.test.mjs"}}},
	"shell":  {{Run: []string{"sh", "-c", "cd web && ./scripts/check.sh --config=jest.config.js"}}},
	"python": {{Run: []string{"python3", "-m", "pytest", "tests/test_api.py::TestApi::test_get"}, Dir: "api"}},
	"module": {{Run: []string{"python3", "-m", "loop_tests.smoke"}}},
	"report": {{Run: []string{"go", "test", "./..."}, Report: "out/report.xml"}},
}, []string{"src/a.mjs", "docs/García.md", "README.md", "Twin.txt", "twin.txt"})

func TestBoundary(t *testing.T) {
	tests := map[string]struct {
		boundary round.Boundary
		given    round.Candidate
		want     []string
	}{
		"a change that is allowed passes": {wide(), edited("src/a.mjs"), nil},
		"an empty candidate passes":       {wide(), round.Candidate{}, nil},

		"a path must match the task's list too":            {withTask([]string{"src/**"}, nil), edited("src/a.mjs", "lib/b.mjs"), []string{"path_not_allowed lib/b.mjs"}},
		"the case of an allowed path counts":               {withTask([]string{"src/**"}, nil), edited("SRC/a.mjs"), []string{"path_not_allowed SRC/a.mjs"}},
		"a folder without wildcards covers what is in it":  {withTask([]string{"src"}, nil), edited("src/x/a.mjs"), nil},
		"a slash at the end means the folder":              {withTask([]string{"src/"}, nil), edited("src/x/a.mjs"), nil},
		"a star stays in its folder":                       {withTask([]string{"*"}, nil), edited("a", "b/c"), []string{"path_not_allowed b/c"}},
		"a name is no prefix":                              {withTask([]string{"src"}, nil), edited("src2/a"), []string{"path_not_allowed src2/a"}},
		"rules with backslashes match":                     {withTask([]string{`src\**`}, nil), edited("src/a.mjs"), nil},
		"a file with a backslash in its name is no folder": {withTask([]string{"src/**"}, nil), edited(`src\a.mjs`), []string{`path_not_allowed src\a.mjs`}},
		"the task cannot widen what loop.yaml allows": {
			round.Boundary{Allow: []string{"src/**"}, TaskAllow: []string{"**"}, MaxFiles: 9, MaxLines: 9, MaxBytes: 9},
			edited("docs/a.md"), []string{"path_not_allowed docs/a.md"},
		},
		"an empty list in loop.yaml allows nothing":   {round.Boundary{MaxFiles: 9, MaxLines: 9, MaxBytes: 9}, edited("a"), []string{"path_not_allowed a"}},
		"a rule that cannot be read allows nothing":   {withTask([]string{"src/[a"}, nil), edited("src/a"), []string{"path_not_allowed src/a"}},
		"a deletion counts as a change":               {withTask([]string{"src/**"}, nil), changed(round.Change{Path: "docs/a.md", Status: "D"}), []string{"path_not_allowed docs/a.md"}},
		"an allowed rule matches a decomposed path":   {withTask([]string{"docs/García.md"}, nil), edited("docs/Garci\u0301a.md"), nil},
		"a decomposed rule matches a composed path":   {withTask([]string{"docs/Garci\u0301a.md"}, nil), edited("docs/García.md"), nil},
		"another accent is another path":              {withTask([]string{"docs/García.md"}, nil), edited("docs/Garcìa.md"), []string{"path_not_allowed docs/Garcìa.md"}},
		"hangul and kana match in both forms":         {withTask([]string{"한글/ガ"}, nil), edited("\u1112\u1161\u11ab\u1100\u1173\u11af/カ\u3099"), nil},
		"a path that is no text is still compared":    {withTask([]string{"src/**"}, nil), edited("src/\xff\xfe"), nil},
		"protected wins over not allowed":             {withTask([]string{"src/**"}, []string{"docs/**"}), edited("docs/a.md"), []string{"protected_path docs/a.md"}},
		"protected wins over allowed":                 {withTask([]string{"src/**"}, []string{"src/gen/**"}), edited("src/gen/a"), []string{"protected_path src/gen/a"}},
		"the task cannot lift a protection":           {withTask(nil, []string{"!.github/**"}), edited(".github/workflows/x.yml"), []string{"protected_path .github/workflows/x.yml"}},
		"a protected folder in other case":            {withProtect("src/test/**"), edited("SRC/Test/a"), []string{"protected_path SRC/Test/a"}},
		"a protected name in other Unicode form":      {withProtect("Prüfung/**"), edited("pru\u0308fung/x"), []string{"protected_path pru\u0308fung/x"}},
		"a protected name with an unseen character":   {wide(), edited(".g\u200citattributes"), []string{"protected_path .g\u200citattributes"}},
		"a protected name with a trailing dot":        {wide(), edited("loop.yaml."), []string{"protected_path loop.yaml."}},
		"a protected name with a stream":              {wide(), edited("loop.yaml::$DATA"), []string{"protected_path loop.yaml::$DATA"}},
		"a long s is an s":                            {wide(), edited("taſks/inbox/a.json"), []string{"protected_path taſks/inbox/a.json"}},
		"a change of mode only":                       {wide(), changed(round.Change{Path: "acceptance/search.test.mjs", Status: "M", OldMode: "100644", NewMode: "100755"}), []string{"protected_path acceptance/search.test.mjs"}},
		"a protected file turned into a link":         {wide(), changed(round.Change{Path: "acceptance/search.test.mjs", Status: "T", NewMode: "120000"}), []string{"protected_path acceptance/search.test.mjs"}},
		"a link in the place of a protected folder":   {wide(), changed(round.Change{Path: "acceptance", Status: "A", NewMode: "120000"}), []string{"protected_path acceptance"}},
		"a rename is one deleted and one added":       {wide(), changed(round.Change{Path: "acceptance/search.test.mjs", Status: "D"}, round.Change{Path: "acceptance/moved.test.mjs", Status: "A"}), []string{"protected_path acceptance/search.test.mjs"}},
		"a neighbour of a named test is free":         {wide(), edited("acceptance/other.test.mjs"), nil},
		"what npm runs is protected":                  {wide(), edited("package.json"), []string{"protected_path package.json"}},
		"a word of a command does not protect folder": {wide(), edited("test/a.test.mjs"), nil},
		"a script in a shell's text":                  {wide(), edited("scripts/check.sh"), []string{"protected_path scripts/check.sh"}},
		"a file behind an equals sign":                {wide(), edited("jest.config.js"), []string{"protected_path jest.config.js"}},
		"a test named with its case, in a folder":     {wide(), edited("api/tests/test_api.py"), []string{"protected_path api/tests/test_api.py"}},
		"what pytest loads by itself":                 {wide(), edited("api/tests/conftest.py"), []string{"protected_path api/tests/conftest.py"}},
		"a module named with dots":                    {wide(), edited("loop_tests/smoke.py"), []string{"protected_path loop_tests/smoke.py"}},
		"a report":                                    {wide(), edited("out/report.xml"), []string{"protected_path out/report.xml"}},
		"the control files of git, servers and looprun": {
			wide(),
			edited("a/.gitattributes", "b/c/.gitignore", ".gitmodules", ".husky/pre-commit", ".githooks/x", ".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "loop.yaml", "tasks/inbox/x.json", ".loop/lock"),
			[]string{
				"protected_path .circleci/config.yml", "protected_path .githooks/x", "protected_path .gitlab-ci.yml", "protected_path .gitmodules", "protected_path .husky/pre-commit",
				"protected_path .loop/lock", "protected_path Jenkinsfile", "protected_path a/.gitattributes", "protected_path b/c/.gitignore", "protected_path loop.yaml", "protected_path tasks/inbox/x.json",
			},
		},
		"loop.yaml lifts a built-in protection":           {withProtect("!**/.gitignore"), edited("web/.gitignore"), nil},
		"loop.yaml lifts a named file":                    {withProtect("!acceptance/**"), edited("acceptance/search.test.mjs"), nil},
		"a lift does not reach loop.yaml's own rule":      {withProtect("docs/**", "!docs/**"), edited("docs/a.md"), []string{"protected_path docs/a.md"}},
		"an allowed test beside a protected one is free":  {withTask([]string{"acceptance/**", "src/**"}, nil), edited("acceptance/isbn.test.mjs", "src/a.mjs"), nil},
		"files count up to the limit":                     {round.Boundary{Allow: []string{"**"}, MaxFiles: 2, MaxLines: 9, MaxBytes: 9}, edited("a", "b"), nil},
		"one file more than the limit":                    {round.Boundary{Allow: []string{"**"}, MaxFiles: 1, MaxLines: 9, MaxBytes: 9}, edited("a", "b"), []string{"too_many_files"}},
		"lines are those added and deleted":               {round.Boundary{Allow: []string{"**"}, MaxFiles: 9, MaxLines: 2, MaxBytes: 9}, changed(round.Change{Path: "a", Status: "M", Added: 2, Deleted: 1}), []string{"too_many_lines"}},
		"a count of lines that was given is not lowered":  {round.Boundary{Allow: []string{"**"}, MaxFiles: 9, MaxLines: 2, MaxBytes: 9}, round.Candidate{Lines: 3, Changed: edited("a").Changed}, []string{"too_many_lines"}},
		"a file too large is named":                       {round.Boundary{Allow: []string{"**"}, MaxFiles: 9, MaxLines: 9, MaxBytes: 9}, changed(round.Change{Path: "a", Status: "A", Size: 10}), []string{"too_large a"}},
		"files too large together are not":                {round.Boundary{Allow: []string{"**"}, MaxFiles: 9, MaxLines: 9, MaxBytes: 9}, changed(round.Change{Path: "a", Status: "A", Size: 5}, round.Change{Path: "b", Status: "A", Size: 5}), []string{"too_large"}},
		"a deleted file has no size":                      {round.Boundary{Allow: []string{"**"}, MaxFiles: 9, MaxLines: 9, MaxBytes: 9}, changed(round.Change{Path: "a", Status: "D", Size: 10}), nil},
		"limits of zero allow nothing":                    {round.Boundary{Allow: []string{"**"}}, changed(round.Change{Path: "a", Status: "M", Added: 1, Size: 1}), []string{"too_large a", "too_many_files", "too_many_lines"}},
		"a submodule moved":                               {wide(), changed(round.Change{Path: "sm", Status: "M", OldMode: "160000", NewMode: "160000"}), []string{"submodule_changed sm"}},
		"a submodule replaced by a file":                  {wide(), changed(round.Change{Path: "sm", Status: "T", OldMode: "160000", NewMode: "100644"}), []string{"submodule_changed sm"}},
		"two additions that differ in case":               {wide(), changed(round.Change{Path: "x/A", Status: "A"}, round.Change{Path: "X/a", Status: "A"}), []string{"case_collision X/a", "case_collision x/A"}},
		"an addition beside a changed file":               {wide(), changed(round.Change{Path: "lib/x", Status: "M"}, round.Change{Path: "lib/X", Status: "A"}), []string{"case_collision lib/X"}},
		"an addition beside a file of the base":           {wide(), changed(round.Change{Path: "Src/A.mjs", Status: "A"}), []string{"case_collision Src/A.mjs"}},
		"an addition in the base's other Unicode form":    {wide(), changed(round.Change{Path: "docs/Garci\u0301a.md", Status: "A"}), []string{"case_collision docs/Garci\u0301a.md"}},
		"a rename that changes the case":                  {wide(), changed(round.Change{Path: "README.md", Status: "D"}, round.Change{Path: "readme.md", Status: "A"}), nil},
		"a collision that the base has already":           {wide(), changed(round.Change{Path: "Twin.txt", Status: "M"}), nil},
		"what the scan refused is passed on once, sorted": {wide(), round.Candidate{Refused: []signature.BoundaryError{{Code: "nested_repository", Path: "v"}, {Code: "fifo", Path: "p"}, {Code: "fifo", Path: "p"}}}, []string{"fifo p", "nested_repository v"}},
		"the scan and the modes agree on a submodule":     {wide(), round.Candidate{Refused: []signature.BoundaryError{{Code: "submodule_changed", Path: "sm"}}, Changed: []round.Change{{Path: "sm", Status: "A", NewMode: "160000"}}}, []string{"submodule_changed sm"}},
		"every error is told, not only the first": {
			round.Boundary{Allow: []string{"src/**"}, MaxFiles: 1, MaxLines: 1, MaxBytes: 9},
			changed(round.Change{Path: "docs/a", Status: "A", Added: 2, Size: 10}, round.Change{Path: "loop.yaml", Status: "M"}),
			[]string{"path_not_allowed docs/a", "protected_path loop.yaml", "too_large docs/a", "too_many_files", "too_many_lines"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := codes(Boundary(tt.boundary, shop, tt.given))
			if diff := cmp.Diff(append([]string{}, tt.want...), got); diff != "" {
				t.Errorf("Boundary differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBoundaryBoundsItsErrors(t *testing.T) {
	b := wide()
	b.Allow, b.MaxFiles = []string{"src/**"}, 1<<20
	var c round.Candidate
	for i := range 5000 {
		c.Changed = append(c.Changed, round.Change{Path: fmt.Sprintf("x/%04d", 4999-i), Status: "A"})
	}
	c.Refused = []signature.BoundaryError{{Code: "setuid", Path: "z"}}
	got := Boundary(b, Builtin{}, c)
	if len(got) != maxErrors+1 {
		t.Fatalf("Boundary gives %d errors; want %d of one code and the other one", len(got), maxErrors)
	}
	if got[0].Path != "x/0000" || got[maxErrors].Code != "setuid" {
		t.Errorf("Boundary keeps %v ... %v; want the first by path, and every code", got[0], got[maxErrors])
	}
}

func TestBoundaryDoesNotTouchItsInput(t *testing.T) {
	c := edited("loop.yaml")
	c.Refused = make([]signature.BoundaryError, 1, 8)
	c.Refused[0] = signature.BoundaryError{Code: "setuid", Path: "z"}
	Boundary(wide(), shop, c)
	if c.Refused[0].Code != "setuid" || len(c.Refused) != 1 {
		t.Errorf("Boundary changed the candidate's list to %v", c.Refused[:cap(c.Refused)])
	}
}

func TestBuiltinOfALoopBelowTheRoot(t *testing.T) {
	rules := NewRules(wide(), NewBuiltin("tools/loop.yaml", nil, nil))
	tests := map[string]bool{
		"tools/loop.yaml": true, "tools/tasks/inbox/a.json": true, "tools/.loop/x": true,
		"loop.yaml": false, "tasks/a.json": false,
	}
	for path, want := range tests {
		if got := rules.Protected(path); got != want {
			t.Errorf("Protected(%q) = %v; want %v", path, got, want)
		}
	}
}

func TestMarksAreWhole(t *testing.T) {
	for _, g := range marks {
		if n := len([]rune(g.letters)); n%2 != 0 {
			t.Errorf("marks of %U hold %d letters; want pairs", g.mark, n)
		}
	}
	for composed, want := range map[string]string{"é": "e\u0301", "Ấ": "A\u0302\u0301", "ё": "е\u0308", "각": "\u1100\u1161\u11a8", "\xff": "\xff", "\ufffd": "\ufffd"} {
		if got := decompose(composed); got != want {
			t.Errorf("decompose(%q) = %+q; want %+q", composed, got, want)
		}
	}
}

// Whatever a candidate is called, the check of its boundary is sorted, says
// nothing twice, and refuses a protected file in every case.
func FuzzBoundary(f *testing.F) {
	f.Add("src/**", "src/test/**", "SRC/Test/a.go", "A")
	f.Add("**", "!x", "a\u0301/\xff", "D")
	f.Add("{a,b}/[c-", `\\`, ".git", "T")
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, allow, protect, path, status string) {
		b := withTask([]string{allow}, []string{protect})
		c := changed(round.Change{Path: path, Status: status}, round.Change{Path: strings.ToUpper(path), Status: status})
		got := Boundary(b, shop, c)
		if !slices.IsSortedFunc(got, func(a, b signature.BoundaryError) int {
			return strings.Compare(a.Code+"\x00"+a.Path, b.Code+"\x00"+b.Path)
		}) {
			t.Errorf("Boundary(%q) is not sorted: %v", path, got)
		}
		if len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("Boundary(%q) says something twice: %v", path, got)
		}
		named := withTask(nil, []string{path})
		if path != "" && !strings.ContainsAny(path, `*?[{\/`) && fold(path) == foldText(path) && !NewRules(named, Builtin{}).Protected(path) {
			t.Errorf("a rule %q does not protect the path of that name", path)
		}
	})
}
