package recovery

import (
	"strings"
	"testing"
	"time"
)

func TestFaultsOfUserPatterns(t *testing.T) {
	sound := func(change func(*Pattern)) Pattern {
		p := Pattern{ID: "budget", Regex: "team budget", Category: QuotaExhausted}
		change(&p)
		return p
	}
	for name, test := range map[string]struct {
		pattern Pattern
		want    string
	}{
		"sound":                         {sound(func(*Pattern) {}), ""},
		"a pointer":                     {sound(func(p *Pattern) { p.Regex, p.Pointer, p.Equals = "", "/error/code", "7" }), ""},
		"an own category":               {sound(func(p *Pattern) { p.Category, p.Class = "x-budget", Ambient }), ""},
		"no id":                         {sound(func(p *Pattern) { p.ID = "" }), "id: must not be empty"},
		"neither text nor pointer":      {sound(func(p *Pattern) { p.Regex = "" }), "needs either regex or pointer"},
		"both":                          {sound(func(p *Pattern) { p.Pointer = "/a" }), "needs either regex or pointer"},
		"a bad expression":              {sound(func(p *Pattern) { p.Regex = "(" }), "regex: error parsing regexp"},
		"a pointer that is none":        {sound(func(p *Pattern) { p.Regex, p.Pointer = "", "error/code" }), "does not begin with a slash"},
		"a pointer into stderr":         {sound(func(p *Pattern) { p.Regex, p.Pointer, p.Source = "", "/a", SourceStderr }), "reads the event, not stderr"},
		"equals without a pointer":      {sound(func(p *Pattern) { p.Equals = "7" }), "equals: needs pointer"},
		"an unknown stage":              {sound(func(p *Pattern) { p.Stage = "land" }), `stage: "land" is not generator or check`},
		"an unknown source":             {sound(func(p *Pattern) { p.Source = "stdout" }), `source: "stdout" is not error, stderr or event`},
		"an unknown category":           {sound(func(p *Pattern) { p.Category = "quota" }), `unknown category "quota"`},
		"success is no category":        {sound(func(p *Pattern) { p.Category = None }), `unknown category "none"`},
		"an own category without class": {sound(func(p *Pattern) { p.Category = "x-budget" }), "must name its class"},
		"another class":                 {sound(func(p *Pattern) { p.Class = Transient }), "is of class ambient"},
		"an unknown class":              {sound(func(p *Pattern) { p.Category, p.Class = "x-budget", "slow" }), `unknown class "slow"`},
		"a wait without a group":        {sound(func(p *Pattern) { p.RetryAfter = &RetryAfter{`\d+`, "s"} }), "needs a group around the number"},
		"a wait without a unit":         {sound(func(p *Pattern) { p.RetryAfter = &RetryAfter{`(\d+)`, ""} }), `"" is not s, ms, m or h`},
	} {
		_, err := test.pattern.Compile()
		if said := message(err); !strings.Contains(said, test.want) || (test.want == "") != (err == nil) {
			t.Errorf("%s: Compile says %q; want %q", name, said, test.want)
		}
	}
}

func TestCompilePatternsTellsAllFaults(t *testing.T) {
	_, err := CompilePatterns([]Pattern{{ID: "a", Regex: "("}, {ID: "b", Category: "nope"}})
	for _, part := range []string{`pattern "a"`, `pattern "b"`} {
		if !strings.Contains(message(err), part) {
			t.Errorf("CompilePatterns says %q; want it to name %s", message(err), part)
		}
	}
}

func compiled(t testing.TB, patterns ...Pattern) []CompiledPattern {
	t.Helper()
	c, err := CompilePatterns(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestUserPatternsReadWhatTheyName(t *testing.T) {
	event := &Event{Seen: true, Cause: Cause{Text: "gateway: budget gone, back in 90 min"}, Raw: []byte(`{"error":{"code":"E7","tries":[3]}}`)}
	failed := Signs{Ended: EndedExit, ExitCode: code(1), Expects: true, Event: event, Stderr: "stderr says budget too\n"}
	for name, test := range map[string]struct {
		pattern Pattern
		signs   Signs
		want    Category
	}{
		"the error by default":             {Pattern{Regex: "budget gone"}, failed, "x-own"},
		"stderr by default":                {Pattern{Regex: "says budget"}, failed, "x-own"},
		"only the error":                   {Pattern{Regex: "says budget", Source: SourceError}, failed, Unknown},
		"only stderr":                      {Pattern{Regex: "budget gone", Source: SourceStderr}, failed, Unknown},
		"the event as it was read":         {Pattern{Regex: `"E7"`, Source: SourceEvent}, failed, "x-own"},
		"a place in the event":             {Pattern{Pointer: "/error/code", Equals: "E7"}, failed, "x-own"},
		"a place in a list":                {Pattern{Pointer: "/error/tries/0", Equals: "3"}, failed, "x-own"},
		"a place that is not there":        {Pattern{Pointer: "/error/code/deep", Equals: "E7"}, failed, Unknown},
		"another stage":                    {Pattern{Regex: "budget", Stage: StageCheck}, failed, Unknown},
		"its own stage":                    {Pattern{Regex: "budget", Stage: StageGenerator}, failed, "x-own"},
		"nothing of a run that ended well": {Pattern{Regex: "budget"}, Signs{ExitCode: code(0), Stderr: "budget"}, None},
		"what it names even then":          {Pattern{Regex: "budget", Source: SourceStderr}, Signs{ExitCode: code(0), Stderr: "budget"}, "x-own"},
		"but not over a change":            {Pattern{Regex: "budget", Source: SourceStderr}, Signs{ExitCode: code(0), Stderr: "budget", Changed: true}, None},
		"a report's words":                 {Pattern{Regex: "budget", Source: SourceError}, Signs{ExitCode: code(0), Report: &Report{Status: ReportFailed, Message: "budget"}}, "x-own"},
		"colours do not hide it":           {Pattern{Regex: "budget gone"}, Signs{ExitCode: code(1), Stderr: "\x1b[31mbudget\x1b[0m gone"}, "x-own"},
	} {
		p := test.pattern
		p.ID, p.Category, p.Class = "own", "x-own", Ambient
		got := Classify(test.signs, compiled(t, p))
		if got.Category != test.want {
			t.Errorf("%s: category %s (%s); want %s", name, got.Category, got.Rule, test.want)
		}
		if got.Category == "x-own" && (got.Rule != "own" || got.Class != Ambient) {
			t.Errorf("%s: rule %q, class %q; want own, ambient", name, got.Rule, got.Class)
		}
	}
}

func TestUserPatternsGoInFileOrderBeforeTheBuiltInOnes(t *testing.T) {
	user := compiled(t,
		Pattern{ID: "first", Regex: "gateway", Category: "x-gateway", Class: Transient, RetryAfter: &RetryAfter{`back in (\d+) min`, "m"}},
		Pattern{ID: "second", Regex: "rate limit", Category: Auth})
	got := ClassifyAll(Signs{Ended: EndedExit, ExitCode: code(1), Stderr: "gateway: rate limit, back in 90 min"}, user)
	var rules []string
	for _, f := range got {
		rules = append(rules, f.Rule)
	}
	if said := strings.Join(rules, " "); said != "first second rate-limit bare-exit" {
		t.Fatalf("rules are %q", said)
	}
	if got[0].RetryAfter == nil || *got[0].RetryAfter != 90*time.Minute || !got[0].Retryable {
		t.Errorf("the pattern's own wait is %v, retryable %t; want 1h30m, true", got[0].RetryAfter, got[0].Retryable)
	}
}

func code(n int) *int { return &n }
