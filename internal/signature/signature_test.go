package signature

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func evidence() Evidence {
	return Evidence{
		BoundaryErrors: []BoundaryError{{Code: "protected", Path: "go.mod"}, {Code: "not_allowed", Path: "docs/<a>&.md"}},
		Checks: []Check{
			{Argv: []string{"go", "vet"}},
			{Argv: []string{"go", "test", "./..."}, ExitCode: 1, PathTaken: "text:go-test", Failures: []Failure{
				{ID: "calc > TestB", Class: "panic", Detail: "line\u2028separator"},
				{ID: "calc > TestA", Class: "fail", Detail: "got 5, want 4"},
			}, Tests: Tests{Known: true, Run: 9}},
			{Argv: []string{"./crash"}, ExitCode: -1, Signal: "SEGV", Dropped: 3},
		},
	}
}

// The canonical form is pinned: whoever changes it must raise Version.
func TestOfHashesTheseBytes(t *testing.T) {
	const want = `{"boundary":[{"code":"not_allowed","path":"docs/<a>&.md"},{"code":"protected","path":"go.mod"}],` +
		`"checks":[{"argv":["go","vet"],"exit":0,"failures":[]},` +
		`{"argv":["go","test","./..."],"exit":1,"failures":[` +
		`{"class":"fail","detail":"got 5, want 4","id":"calc > TestA"},` +
		`{"class":"panic","detail":"line\u2028separator","id":"calc > TestB"}]},` +
		`{"argv":["./crash"],"dropped":3,"exit":"signal:SEGV","failures":[]}],"v":1}`
	got := Of(evidence())
	if diff := cmp.Diff(want, got.Input); diff != "" {
		t.Errorf("Of: input differs (-want +got):\n%s", diff)
	}
	if got.Hash != "430d32b71189bb70" || got.Version != 1 {
		t.Errorf("Of = %s version %d; want 430d32b71189bb70 version 1", got.Hash, got.Version)
	}
}

func TestOfTryHashesTheseBytes(t *testing.T) {
	const want = `{"try":{"category":"crashed","code":"139","text":"died in <tmp>/a.log after <dur>, got 5","tree":"4b825dc"},"v":1}`
	got := OfTry("crashed", "139", "died in /tmp/x1/a.log after 12ms, got 5", "4b825dc")
	if diff := cmp.Diff(want, got.Input); diff != "" {
		t.Errorf("OfTry: input differs (-want +got):\n%s", diff)
	}
	if got.Hash != "5a2d1611326f43c2" {
		t.Errorf("OfTry = %s; want 5a2d1611326f43c2", got.Hash)
	}
}

func TestOfTellsApart(t *testing.T) {
	base := Of(evidence())
	for name, change := range map[string]func(*Evidence){
		"another detail":         func(e *Evidence) { e.Checks[1].Failures[0].Detail = "x" },
		"another test":           func(e *Evidence) { e.Checks[1].Failures[0].ID = "x" },
		"another class":          func(e *Evidence) { e.Checks[1].Failures[0].Class = "x" },
		"one failure less":       func(e *Evidence) { e.Checks[1].Failures = e.Checks[1].Failures[:1] },
		"another exit code":      func(e *Evidence) { e.Checks[1].ExitCode = 2 },
		"another signal":         func(e *Evidence) { e.Checks[2].Signal = "ABRT" },
		"another command":        func(e *Evidence) { e.Checks[1].Argv = []string{"go", "test"} },
		"another boundary error": func(e *Evidence) { e.BoundaryErrors[0].Path = "x" },
		"more left out":          func(e *Evidence) { e.Checks[2].Dropped = 4 },
		"checks in other order":  func(e *Evidence) { slices.Reverse(e.Checks) },
		"other masks":            func(e *Evidence) { e.Masks = "abc" },
	} {
		t.Run(name, func(t *testing.T) {
			ev := evidence()
			change(&ev)
			if got := Of(ev); got.Same(base) {
				t.Errorf("Of is %s for both; want two signatures", got.Hash)
			}
		})
	}
}

func TestOfIgnoresWhatIsNoFailure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := evidence()
		perm := rapid.Permutation(ev.Checks[1].Failures).Draw(t, "failures")
		ev.Checks[1].Failures = append(perm, perm[0])
		ev.BoundaryErrors = rapid.Permutation(ev.BoundaryErrors).Draw(t, "boundary")
		ev.Checks[1].PathTaken = rapid.String().Draw(t, "path taken")
		ev.Checks[1].Tests.Run = rapid.Int().Draw(t, "tests run")
		if got, want := Of(ev), Of(evidence()); !got.Same(want) {
			t.Fatalf("Of = %s; want %s", got.Input, want.Input)
		}
	})
}

func TestOfLeavesItsArgumentsAlone(t *testing.T) {
	ev := evidence()
	Of(ev)
	if diff := cmp.Diff(evidence(), ev); diff != "" {
		t.Errorf("Of changed the evidence (-want +got):\n%s", diff)
	}
}

func TestFamilyIsTheSameForOtherNumbers(t *testing.T) {
	ev := evidence()
	ev.Checks[1].Failures[1].Detail = "got 7, want 4"
	a, b := Of(evidence()), Of(ev)
	if a.Same(b) || a.Family != b.Family {
		t.Errorf("same %t, families %s and %s; want two signatures of one family", a.Same(b), a.Family, b.Family)
	}
	ev.Checks[1].Failures[1].Detail = "got nothing, want 4"
	if c := Of(ev); c.Family == a.Family {
		t.Errorf("another message has the family %s too", c.Family)
	}
}

func TestOfTry(t *testing.T) {
	ticket, _ := CompileMask("ticket", `T-\d+`)
	base := OfTry("output_truncated", "", "cut at T-5", "tree")
	for name, tt := range map[string]struct {
		got  Signature
		same bool
	}{
		"the same error on the same tree":   {OfTry("output_truncated", "", "cut at T-5", "tree"), true},
		"another tree is progress":          {OfTry("output_truncated", "", "cut at T-5", "tree2"), false},
		"another category":                  {OfTry("context_window", "", "cut at T-5", "tree"), false},
		"another code":                      {OfTry("output_truncated", "1", "cut at T-5", "tree"), false},
		"another text":                      {OfTry("output_truncated", "", "cut at T-6", "tree"), false},
		"masks of the user are its version": {OfTry("output_truncated", "", "cut at T-5", "tree", ticket), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.got.Same(base); got != tt.same {
				t.Errorf("Same = %t; want %t", got, tt.same)
			}
		})
	}
	a, b := OfTry("x", "", "T-1", "t", ticket), OfTry("x", "", "T-2", "t", ticket)
	if !a.Same(b) {
		t.Errorf("%s and %s differ; want the user's mask to make them one", a.Input, b.Input)
	}
}

func TestSame(t *testing.T) {
	s := Signature{Hash: "aa", Version: 1, Input: "x"}
	for name, tt := range map[string]struct {
		other Signature
		want  bool
	}{
		"equal":                    {Signature{Hash: "aa", Version: 1, Input: "x"}, true},
		"input not recorded":       {Signature{Hash: "aa", Version: 1}, true},
		"another version":          {Signature{Hash: "aa", Version: 2, Input: "x"}, false},
		"hashes that collide":      {Signature{Hash: "aa", Version: 1, Input: "y"}, false},
		"another hash":             {Signature{Hash: "bb", Version: 1, Input: "x"}, false},
		"nothing against nothing?": {Signature{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.Same(tt.other); got != tt.want {
				t.Errorf("Same = %t; want %t", got, tt.want)
			}
		})
	}
	if (Signature{}).Same(Signature{}) {
		t.Error("two runs without a failure are the same failure")
	}
}

func TestExplain(t *testing.T) {
	changed := evidence()
	changed.Checks[1].Failures[1].Detail = "got 7, want 4"
	gone := evidence()
	gone.Checks[1].Failures = gone.Checks[1].Failures[:1]
	later := Of(evidence())
	later.Version, later.Input = 2, strings.Replace(later.Input, `"v":1`, `"v":2`, 1)
	for name, tt := range map[string]struct {
		left, right Signature
		why         string
		differs     []Row
	}{
		"equal": {Of(evidence()), Of(evidence()), "what was hashed is equal byte for byte", nil},
		"another number": {Of(evidence()), Of(changed), "the same tests and assertions with other numbers", []Row{
			{Where: "check 2 failure", Left: "calc > TestA\nfail\ngot 5, want 4", Right: "calc > TestA\nfail\ngot 7, want 4"},
		}},
		"a failure gone": {Of(evidence()), Of(gone), "first difference: check 2 failure", []Row{
			{Where: "check 2 failure", Left: "calc > TestA\nfail\ngot 5, want 4"},
		}},
		"another version": {Of(evidence()), later, "signatures of different versions are never the same", []Row{
			{Where: "version", Left: "1", Right: "2"},
		}},
		"a try and another": {OfTry("crashed", "1", "a", "t"), OfTry("crashed", "1", "a", "u"), "first difference: tree", []Row{
			{Where: "tree", Left: "t", Right: "u"},
		}},
		"nothing recorded": {
			Signature{Hash: "aa", Version: 1}, Signature{Hash: "bb", Version: 1},
			"what was hashed is not recorded; only the hashes can be compared",
			[]Row{{Where: "signature", Left: "aa", Right: "bb"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Explain(tt.left, tt.right)
			if got.Why != tt.why || got.Same != tt.left.Same(tt.right) {
				t.Errorf("Explain = %t %q; want %t %q", got.Same, got.Why, tt.left.Same(tt.right), tt.why)
			}
			var differs []Row
			for _, r := range got.Rows {
				if !r.Same {
					differs = append(differs, r)
				}
			}
			if diff := cmp.Diff(tt.differs, differs); diff != "" {
				t.Errorf("Explain: rows that differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExplainPairsTheFailuresOfOneTest(t *testing.T) {
	side := func(failures ...Failure) Signature {
		return Of(Evidence{Checks: []Check{{Argv: []string{"t"}, ExitCode: 1, Failures: failures}}})
	}
	got := Explain(
		side(Failure{ID: "a", Detail: "1"}, Failure{ID: "b", Detail: "x"}, Failure{ID: "b", Detail: "y"}, Failure{ID: "d"}),
		side(Failure{ID: "b", Detail: "y"}, Failure{ID: "b", Detail: "z"}, Failure{ID: "c"}, Failure{ID: "d"}),
	)
	want := []Row{
		{Where: "check 1 failure", Left: "a\n1"},
		{Where: "check 1 failure", Left: "b\ny", Right: "b\ny", Same: true},
		{Where: "check 1 failure", Left: "b\nx", Right: "b\nz"},
		{Where: "check 1 failure", Right: "c"},
		{Where: "check 1 failure", Left: "d", Right: "d", Same: true},
	}
	if diff := cmp.Diff(want, got.Rows[3:]); diff != "" {
		t.Errorf("Explain: rows (-want +got):\n%s", diff)
	}
}

func TestExplainUnreadableInput(t *testing.T) {
	broken := Signature{Hash: "aa", Version: 1, Input: "{"}
	for _, pair := range [][2]Signature{{broken, Of(evidence())}, {Of(evidence()), broken}} {
		if got := Explain(pair[0], pair[1]); !strings.Contains(got.Why, "cannot be read") {
			t.Errorf("Explain = %q; want it to say that the input cannot be read", got.Why)
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add(Of(evidence()).Input, OfTry("a", "b", "c", "d").Input)
	f.Fuzz(func(t *testing.T, left, right string) {
		l := Signature{Hash: digest(left), Version: 1, Input: left}
		r := Signature{Hash: digest(right), Version: 1, Input: right}
		if got := Explain(l, r); got.Same != (left == right && left != "") && !(left == "" && right == "") {
			t.Errorf("Explain = %t; want %t", got.Same, left == right)
		}
	})
}
