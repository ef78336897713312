package record_test

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"looprun.dev/looprun/internal/schema"
)

// compile makes all schemas usable, by name.
func compile(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	address := func(name string) string { return "https://looprun.dev/schema/" + name + ".json" }
	for _, name := range schema.Names() {
		data, err := schema.Get(name)
		must(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		must(t, err, c.AddResource(address(name), doc))
	}
	all := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names() {
		s, err := c.Compile(address(name))
		must(t, err)
		all[name] = s
	}
	return all
}

// schemaOf names the schema of a file below .loop, "" for none.
func schemaOf(file string) string {
	dir, base := path.Split(file)
	switch {
	case path.Ext(base) != ".json":
		return ""
	case dir == "results/":
		return "result"
	case strings.HasSuffix(dir, "/attempts/"):
		return "attempt"
	case strings.HasPrefix(base, "plan-"):
		return "plan"
	}
	return strings.TrimSuffix(base, ".json") // task, state
}

func validate(t *testing.T, s *jsonschema.Schema, file string, data []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = s.Validate(doc)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", file, err, data)
	}
}

// Every record is checked at every moment of a run, for every way in which a
// task can end.
func TestEveryRecordFollowsItsSchema(t *testing.T) {
	schemas := compile(t)
	seen := map[string]int{}
	for name, tries := range map[string][]string{
		"done": {passes}, "done in round three": {unsound, unsound, passes}, "no change": {idle},
		"needs input": {fails, fails}, "blocked": {outside}, "rounds used up": {unsound, unsound, unsound},
		"a question": {question}, "waits": {limited, limited, passes},
	} {
		t.Run(name, func(t *testing.T) {
			where := place(t)
			s := openStore(t, where)
			j := begin(t, s, "t1")
			check := func() {
				for file, data := range contents(t, where) {
					if of := schemaOf(file); of != "" {
						validate(t, schemas[of], file, []byte(data))
						seen[of]++
					}
				}
				for _, raw := range lines(readFile(t, where, "events.jsonl")) {
					validate(t, schemas["event"], "events.jsonl", raw)
					seen["event"]++
				}
			}
			must(t, (&player{store: s, journal: j, tries: tries, now: noon, acked: check}).play())
			check()
		})
	}
	for _, name := range []string{"task", "state", "plan", "attempt", "result", "event"} {
		if seen[name] == 0 {
			t.Errorf("no record of the schema %q was seen", name)
		}
	}
}
