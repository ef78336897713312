package generator

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeSettings(t *testing.T) {
	const over = `{"a": {"x": 1}, "b": 2}`
	tests := map[string]struct{ user, want string }{
		"nothing there":              {"", `{"a":{"x":1},"b":2}`},
		"members beside":             {`{"a":{"y":3},"c":4}`, `{"a":{"x":1,"y":3},"b":2,"c":4}`},
		"the same member":            {`{"a":{"x":9},"b":9}`, `{"a":{"x":1},"b":2}`},
		"another type":               {`{"a":"text"}`, `{"a":{"x":1},"b":2}`},
		"null":                       {`null`, `{"a":{"x":1},"b":2}`},
		"comments and a last comma":  {"{ // one\n \"c\": \"/* no, // text */\", /* two */ \"d\": [1,\n 2,],\n}", `{"a":{"x":1},"b":2,"c":"/* no, // text */","d":[1,2]}`},
		"an escaped quote":           {`{"c":"\"//"}`, `{"a":{"x":1},"b":2,"c":"\"//"}`},
		"what is no object stays":    {`[1]`, `[1]`},
		"what cannot be read stays":  {`{"a": `, `{"a": `},
		"a comment without an end":   {`{} /* `, `{"a":{"x":1},"b":2}`},
		"a string that never closes": {`{"c": "x`, `{"c": "x`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := mergeSettings([]byte(tt.user), over)
			var x, y any
			if json.Unmarshal(got, &x) != nil || json.Unmarshal([]byte(tt.want), &y) != nil {
				x, y = string(got), tt.want
			}
			if diff := cmp.Diff(y, x); diff != "" {
				t.Errorf("mergeSettings differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Settings come from outside: whatever they are, the result is the user's own
// bytes or an object that has looprun's members.
func FuzzMergeSettings(f *testing.F) {
	f.Add([]byte("{ // one\n \"a\": [1,], }"))
	f.Add([]byte(`{"a": "\`))
	f.Add([]byte(`/*`))
	f.Fuzz(func(t *testing.T, user []byte) {
		got := mergeSettings(user, `{"own": 1}`)
		if string(got) == string(user) {
			return
		}
		var o map[string]any
		if json.Unmarshal(got, &o) != nil || o["own"] != 1.0 {
			t.Errorf("mergeSettings(%q) = %q", user, got)
		}
	})
}
