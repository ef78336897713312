package queue_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/queue"
)

func after(ids ...string) string {
	list := ""
	for i, id := range ids {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%q", id)
	}
	return `"after": [` + list + `]`
}

func TestATaskWaitsForThoseItComesAfter(t *testing.T) {
	tests := map[string]struct {
		files map[string]string // name: contents, "" for a task of the name
		want  string
	}{
		"nobody knows the other": {
			map[string]string{"inbox/b.json": body("b", after("a"))},
			"after b.json a",
		},
		"the other is done": {
			map[string]string{"inbox/b.json": body("b", after("a")), "done/a.json": ""},
			"ready b",
		},
		"one of two is done": {
			map[string]string{"inbox/c.json": body("c", after("a", "b")), "done/a.json": ""},
			"after c.json b",
		},
		"the other is in processing": {
			map[string]string{"inbox/b.json": body("b", after("a")), "processing/a.json": ""},
			"after b.json a",
		},
		"the other ended otherwise": {
			map[string]string{"inbox/b.json": body("b", after("a")), "blocked/a.json": ""},
			"after b.json a",
		},
		"a follow-up of the other is done": {
			map[string]string{"inbox/b.json": body("b", after("a")), "blocked/a.json": "", "done/a-2.json": ""},
			"ready b",
		},
		"a follow-up of a follow-up is done": {
			map[string]string{"inbox/b.json": body("b", after("a")), "blocked/a.json": "", "needs-input/a-2.json": "", "done/a-2-2.json": ""},
			"ready b",
		},
		"what looks like a follow-up is done while the other is still to run": {
			map[string]string{"inbox/b.json": body("b", after("a")), "processing/a.json": "", "done/a-2026.json": ""},
			"after b.json a",
		},
		"two wait for each other": {
			map[string]string{"inbox/a.json": body("a", after("b")), "inbox/b.json": body("b", after("a")), "inbox/c.json": body("c", after("a"))},
			"after c.json a; cycle a.json; cycle b.json",
		},
		"the other waits for its time": {
			map[string]string{"inbox/a.json": body("a", `"not_before": "2040-01-01T00:00:00Z"`), "inbox/b.json": body("b", after("a"))},
			"not_before a.json; after b.json a",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			for name, data := range test.files {
				p.put(name, data)
			}
			wantScan(t, p.open(), noon, test.want)
		})
	}
}

func TestCirclesAreFoundAndNamed(t *testing.T) {
	long, told := map[string][]string{}, map[string]string{}
	for i := range 20 {
		long[fmt.Sprintf("%02d", i)] = []string{fmt.Sprintf("%02d", (i+1)%20)}
		told[fmt.Sprintf("%02d.json", i)] = ""
	}
	tests := map[string]struct {
		after map[string][]string
		want  map[string]string
	}{
		"none": {
			map[string][]string{"a": {"b", "x"}, "b": {"c"}, "d": {"b"}}, map[string]string{},
		},
		"itself": {
			map[string][]string{"a": {"a"}}, map[string]string{"a.json": "a after a"},
		},
		"three, and one that waits for them": {
			map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}},
			map[string]string{"a.json": "", "b.json": "", "c.json": ""},
		},
		"two circles with a task between": {
			map[string][]string{"a": {"b"}, "b": {"a", "m"}, "m": {"x"}, "x": {"y"}, "y": {"x"}},
			map[string]string{"a.json": "", "b.json": "", "x.json": "", "y.json": ""},
		},
		"a long one": {long, told},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := queue.Circles(test.after)
			for name, way := range test.want {
				if way == "" && got[name] != "" { // any way round will do
					test.want[name] = got[name]
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("circles (-want +got):\n%s", diff)
			}
		})
	}
	if got := queue.Circles(map[string][]string{"a": {"c", "b"}, "b": {"a"}})["a.json"]; got != "a after b after a" {
		t.Errorf("circle = %q; want a after b after a", got)
	}
}

func TestFollowUpsAreToldByTheirNames(t *testing.T) {
	tests := map[string]struct{ id, want string }{
		"a follow-up":         {"t1-2", "t1"},
		"the tenth":           {"t1-10", "t1"},
		"of a follow-up":      {"t1-2-2", "t1-2"},
		"no number":           {"t1-b", ""},
		"the first":           {"t1-1", ""},
		"a number with zeros": {"t1-02", ""},
		"a sign":              {"t1-+2", ""},
		"nothing before":      {"-2", ""},
		"no dash":             {"t1", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, _ := queue.Followed(test.id); got != test.want {
				t.Errorf("followed(%s) = %q; want %q", test.id, got, test.want)
			}
		})
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"t1.json", "a.dup-1.json", "a.dup-01.json", ".dup-1.json", "a-2.json", "a-2-3", "\xff.json", ".json", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		queue.SortOf(name)
		if of, ok := queue.Original(name); ok && (len(of) >= len(name) || of[:len(of)-5] != name[:len(of)-5]) {
			t.Errorf("original(%q) = %q; want its beginning", name, of)
		}
		if of, ok := queue.Followed(name); ok && (of == "" || of != name[:len(of)]) {
			t.Errorf("followed(%q) = %q; want its beginning", name, of)
		}
	})
}
