package task

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/unit"
	"pgregory.net/rapid"
)

func TestRoundTripOfTheReference(t *testing.T) {
	want, _ := Parse([]byte(reference), "issue-005")
	got := viaJSON(t, want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a task read back differs (-want +got):\n%s", diff)
	}
}

func TestMarshalKeepsExtraMembers(t *testing.T) {
	task, faults := Parse([]byte(`{"x-b": {"n": 1.50}, "id": "t", "x-a": [ "<b>", null ], "goal": "g"}`), "t")
	got, err := json.Marshal(task)
	if want := `{"id":"t","goal":"g","x-a":["\u003cb\u003e",null],"x-b":{"n":1.50}}`; string(got) != want || err != nil {
		t.Errorf("Marshal = %s, %v, %v; want %s", got, err, faults, want)
	}
}

func TestMarshalRefusesWhatIsNoJSON(t *testing.T) {
	if _, err := json.Marshal(Task{ID: "t", Extra: map[string]json.RawMessage{"x-a": json.RawMessage("{")}}); err == nil {
		t.Error("Marshal = nil; want an error")
	}
	if err := json.Unmarshal([]byte(`{"id": 5}`), &Task{}); err == nil {
		t.Error("Unmarshal = nil; want an error")
	}
}

// What Parse takes survives the journal, and the journal's form is a task
// file again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyTask(t)
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		parsed, faults := Parse(data, want.ID)
		if diff := cmp.Diff(want, parsed); diff != "" || len(faults) > 0 {
			t.Fatalf("Parse(Marshal) = %v, differs (-want +got):\n%s", faults, diff)
		}
		if diff := cmp.Diff(want, viaJSON(t, want)); diff != "" {
			t.Fatalf("Unmarshal(Marshal) differs (-want +got):\n%s", diff)
		}
	})
}

type failer interface {
	Helper()
	Fatal(args ...any)
}

func viaJSON(t failer, task Task) Task {
	t.Helper()
	data, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	var got Task
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func anyTask(t *rapid.T) Task {
	word := rapid.StringMatching(`[a-z][a-z0-9]{2,6}`)
	words := func(label string) []string {
		return rapid.OneOf(rapid.Just[[]string](nil), rapid.SliceOfNDistinct(word, 1, 3, rapid.ID)).Draw(t, label)
	}
	task := Task{
		ID:     "t-" + word.Draw(t, "id"),
		Goal:   "do " + rapid.StringN(0, 40, -1).Filter(func(s string) bool { return !slices.Contains([]byte(s), 0) }).Draw(t, "goal"),
		Verify: words("verify"), Allow: words("allow"), Protect: words("protect"), After: words("after"),
		Refs: words("refs"), Operations: words("operations"), Context: words("context"),
		Priority: rapid.IntRange(-maxPriority, maxPriority).Draw(t, "priority"),
		Limits: Limits{
			MaxRounds: rapid.IntRange(0, maxCount).Draw(t, "rounds"),
			WallClock: unit.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "wall")),
			Cost:      unit.Money(rapid.Int64Range(0, 1e9).Draw(t, "cost")),
			MaxBytes:  unit.Size(rapid.Int64Range(0, 1<<40).Draw(t, "bytes")),
		},
	}
	if rapid.Bool().Draw(t, "later") {
		task.NotBefore = time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "at"), 0).UTC()
	}
	for _, key := range words("extra") {
		value, _ := json.Marshal(map[string]any{"text": rapid.StringOfN(rapid.RuneFrom([]rune("a<>&\u2028é\"")), 0, 8, -1).Draw(t, "value"), "n": 1.5})
		if task.Extra == nil {
			task.Extra = map[string]json.RawMessage{}
		}
		task.Extra["x-"+key] = value
	}
	return task
}

// Parse takes no JSON that the standard library refuses, refuses none as bad
// syntax that it takes, and what it takes survives the journal.
func FuzzParse(f *testing.F) {
	for _, s := range []string{reference, with(`"x-a": [1.5e3, "\u00e9\ud83d\ude00"]`), "", "{", "null", `{"a": tru`, "\xef\xbb\xbf{}", `{"id": "t", "goal": "g"} {}`, "\xff\xfe{\x00", `{'a': 1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		task, faults := Parse(data, "t")
		valid := utf8.Valid(data) && json.Valid(bytes.TrimPrefix(data, bom))
		for _, fault := range faults {
			switch fault.Code {
			case CodeSyntax, CodeTruncated, CodeEmpty, CodeNotUTF8:
				if valid {
					t.Errorf("Parse(%q) = %v for valid JSON", data, fault)
				}
			}
			if fault.Msg == "" || fault.Code != CodeFurtherFault && (fault.Line < 1 || fault.Col < 1) {
				t.Errorf("Parse(%q): fault %+v has no place or no words", data, fault)
			}
		}
		if !slices.IsSortedFunc(faults, func(a, b Fault) int { return a.Line - b.Line }) {
			t.Errorf("Parse(%q) = %v; want them in order", data, faults)
		}
		if len(faults) > 0 {
			return
		}
		if !valid {
			t.Errorf("Parse(%q) takes what is no JSON", data)
		}
		if diff := cmp.Diff(task, viaJSON(t, task)); diff != "" {
			t.Errorf("Parse(%q) does not survive the journal:\n%s", data, diff)
		}
		if !slices.Equal(slices.Sorted(maps.Keys(task.Extra)), slices.Sorted(maps.Keys(viaJSON(t, task).Extra))) {
			t.Errorf("Parse(%q) loses extra members", data)
		}
	})
}
