package schema_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/schema"
	"looprun.dev/looprun/internal/signature/extract"
	"looprun.dev/looprun/internal/task"
)

// compile makes a schema usable, with all others known to it.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	for _, each := range schema.Names() {
		data, err := schema.Get(each)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("https://looprun.dev/schema/"+each+".json", decode(t, string(data))); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile("https://looprun.dev/schema/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t *testing.T, data string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func TestNames(t *testing.T) {
	want := []string{"attempt", "config", "event", "plan", "report", "request", "result", "state", "task"}
	if got := schema.Names(); !slices.Equal(got, want) {
		t.Errorf("Names = %v; want %v", got, want)
	}
}

func TestGetRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", "tasks", "../task", "task.json"} {
		if _, err := schema.Get(name); err == nil || !strings.Contains(err.Error(), "state, task") {
			t.Errorf("Get(%q) = %v; want an error that lists the names", name, err)
		}
	}
}

func TestSchemasAreSchemas(t *testing.T) {
	for _, name := range schema.Names() {
		t.Run(name, func(t *testing.T) {
			compile(t, name)
			data, _ := schema.Get(name)
			for _, part := range []string{`"$schema": "https://json-schema.org/draft/2020-12/schema"`, `"title"`, `"description"`} {
				if !bytes.Contains(data, []byte(part)) {
					t.Errorf("schema lacks %s", part)
				}
			}
		})
	}
}

const goodTask = `{"id": "issue-005", "title": "Search ignores diacritics", "goal": "garcia marquez must find García Márquez ...",
 "verify": ["diacritic-search"], "allow": ["src/**"], "protect": [], "limits": {"max_rounds": 3, "max_changed_lines": 40, "cost_usd": "2.00"},
 "after": ["issue-004"], "refs": [], "priority": 0, "not_before": "2026-12-01T02:00:00Z", "operations": [], "context": ["docs/search.md"], "x-note": "kept"}`

// The reader of task files and the schema must agree about form.
func TestTaskSchemaAgreesWithTheReader(t *testing.T) {
	with := func(member string) string { return `{"id": "issue-005", "goal": "g", ` + member + `}` }
	limit := func(member string) string { return with(`"limits": {` + member + `}`) }
	tests := map[string]struct {
		data string
		ok   bool
	}{
		"the reference":                  {goodTask, true},
		"only what is required":          {`{"id": "issue-005", "goal": "g"}`, true},
		"its schema":                     {with(`"schema": "looprun.task/1"`), true},
		"any extra member":               {with(`"x-a": null, "x-B": {"c": [1.5]}`), true},
		"empty lists":                    {with(`"verify": [], "after": [], "refs": [], "operations": [], "context": []`), true},
		"every limit":                    {limit(`"max_rounds": 1, "same_failure_limit": 1, "max_tries": 1, "wall_clock": "1h30m", "deadline": "0.5s", "max_tokens": 1000000000000, "cost_usd": "0.000001", "max_changed_files": 1, "max_changed_lines": 1, "max_bytes": "100KiB"`), true},
		"a time with an offset":          {with(`"not_before": "2026-12-01T02:00:00.5+01:00"`), true},
		"patterns":                       {with(`"allow": ["**", "src/{a,b}/*.go", ".github/[a-z]*"]`), true},
		"a folder as context":            {with(`"context": ["docs/"]`), true},
		"no object":                      {`[]`, false},
		"null":                           {`null`, false},
		"no id":                          {`{"goal": "g"}`, false},
		"no goal":                        {`{"id": "issue-005"}`, false},
		"null for a member":              {with(`"title": null`), false},
		"an unknown member":              {with(`"prompt": "x"`), false},
		"a member in another case":       {with(`"Title": "x"`), false},
		"a prefix alone":                 {with(`"x-": 1`), false},
		"an unknown limit":               {limit(`"rounds": 1`), false},
		"an extra member in limits":      {limit(`"x-a": 1`), false},
		"an empty goal":                  {`{"id": "issue-005", "goal": " "}`, false},
		"a goal that is no text":         {`{"id": "issue-005", "goal": 5}`, false},
		"two lines of title":             {with(`"title": "a\nb"`), false},
		"a list that is none":            {with(`"verify": "unit"`), false},
		"an item that is no text":        {with(`"verify": [1]`), false},
		"an empty item":                  {with(`"verify": [""]`), false},
		"an item twice":                  {with(`"verify": ["a", "a"]`), false},
		"nothing allowed":                {with(`"allow": []`), false},
		"an absolute pattern":            {with(`"allow": ["/etc"]`), false},
		"a pattern that leads out":       {with(`"allow": ["a/../../b"]`), false},
		"a pattern with a backslash":     {with(`"protect": ["a\\b"]`), false},
		"a pattern that lifts":           {with(`"protect": ["!a"]`), false},
		"a pattern of a drive":           {with(`"allow": ["C:/a"]`), false},
		"a pattern that matches nothing": {with(`"allow": ["./a"]`), false},
		"a pattern that ends in a slash": {with(`"allow": ["src/"]`), false},
		"a pattern with two slashes":     {with(`"allow": ["a//b"]`), false},
		"context outside the tree":       {with(`"context": ["../a"]`), false},
		"context of a home":              {with(`"context": ["~/a"]`), false},
		"no rounds":                      {limit(`"max_rounds": 0`), false},
		"negative tries":                 {limit(`"max_tries": -1`), false},
		"a quoted count":                 {limit(`"max_tries": "3"`), false},
		"a fraction":                     {limit(`"max_tries": 1.5`), false},
		"a huge count":                   {limit(`"max_tokens": 99999999999999999999`), false},
		"a duration without unit":        {limit(`"wall_clock": "90"`), false},
		"a duration as a number":         {limit(`"wall_clock": 90`), false},
		"a duration of zero":             {limit(`"wall_clock": "0s"`), false},
		"a duration of zeros":            {limit(`"wall_clock": "0h0.0m00s"`), false},
		"a negative duration":            {limit(`"wall_clock": "-5s"`), false},
		"days":                           {limit(`"deadline": "1d"`), false},
		"no money":                       {limit(`"cost_usd": "0.00"`), false},
		"money as a number":              {limit(`"cost_usd": 2.00`), false},
		"money with a sign":              {limit(`"cost_usd": "$2"`), false},
		"no bytes":                       {limit(`"max_bytes": "0MiB"`), false},
		"bytes without a unit":           {limit(`"max_bytes": 4096`), false},
		"a decimal unit":                 {limit(`"max_bytes": "4MB"`), false},
		"a priority out of range":        {with(`"priority": 1000001`), false},
		"a time that is none":            {with(`"not_before": "tomorrow"`), false},
		"a time without a zone":          {with(`"not_before": "2026-12-01T02:00:00"`), false},
		"a bad id to come after":         {with(`"after": ["../a"]`), false},
		"another schema":                 {with(`"schema": "looprun.task/2"`), false},
		"an id in upper case":            {`{"id": "Issue", "goal": "g"}`, false},
		"an id that is a device":         {`{"id": "nul.x", "goal": "g"}`, false},
		"an id with two points":          {`{"id": "a..b", "goal": "g"}`, false},
		"an id that ends in .lock":       {`{"id": "a.lock", "goal": "g"}`, false},
		"an id that ends in .dup-1":      {`{"id": "a.dup-1", "goal": "g"}`, false},
		"an id that ends in a point":     {`{"id": "a.", "goal": "g"}`, false},
		"an id that is too long":         {`{"id": "` + strings.Repeat("a", 65) + `", "goal": "g"}`, false},
	}
	s := compile(t, "task")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := s.Validate(decode(t, tt.data)); (err == nil) != tt.ok {
				t.Errorf("the schema says %v; want good %v", err, tt.ok)
			}
			if _, faults := task.Parse([]byte(tt.data), "issue-005"); (len(faults) == 0) != tt.ok {
				t.Errorf("Parse = %v; want good %v", faults, tt.ok)
			}
		})
	}
}

// JSON is YAML, so the reader of loop.yaml takes the same texts.
func TestConfigSchemaAgreesWithTheReader(t *testing.T) {
	with := func(section string) string {
		return `{"verification": {"profiles": {"unit": [{"run": ["go", "test"]}]}}, ` + section + `}`
	}
	check := func(member string) string {
		return `{"verification": {"profiles": {"unit": [{"run": ["a"], ` + member + `}]}}}`
	}
	recovers := func(member string) string { return with(`"recovery": {` + member + `}`) }
	tests := map[string]struct {
		data string
		ok   bool
	}{
		"the least":                     {`{"verification": {"profiles": {"unit": [{"run": ["go"]}]}}}`, true},
		"sections without a value":      {with(`"queue": null, "stop": {}, "sandbox": null, "effects": {}`), true},
		"null for what may be none":     {with(`"queue": {"max_unmerged": null}, "workspace": {"dir": null}, "generator": {"probe": null}, "hooks": {"webhook": null}`), true},
		"every part of a check":         {check(`"timeout": "1m", "report": "out/r.xml", "format": "auto", "hidden": "/srv/h", "dir": "."`), true},
		"numbers as words of a command": {with(`"generator": {"command": ["sleep", 5, true], "env": {"set": {"A": 1, "B": "x"}}}`), true},
		"a sandbox by its mode":         {with(`"sandbox": "off"`), true},
		"days to keep records":          {with(`"records": {"keep": "30d"}`), true},
		"hours to keep records":         {with(`"records": {"keep": "12h"}`), true},
		"a chain":                       {recovers(`"chains": {"network": {"enabled": true, "steps": [{"strategy": "retry", "max": 5, "base": "1s", "factor": 1.5, "cap": "5m"}], "then": "hold"}}`), true},
		"a pattern":                     {recovers(`"patterns": [{"id": "a", "when": {"stage": "check", "source": "stderr", "regex": "x"}, "category": "x-a", "class": "transient", "retry_after": {"regex": "(x)", "unit": "s"}}]`), true},
		"a pattern on the event":        {recovers(`"patterns": [{"id": "a", "when": {"pointer": "/a", "equals": 5}, "category": "network"}]`), true},
		"an effect":                     {with(`"effects": {"mail": {"target": "smtp", "repeat": "keyed", "irreversible": true, "observe": ["o"], "compensate": [], "timeout": "1m"}}`), true},
		"anything for the engine":       {with(`"engine": {"a": {"b": [1, null]}}`), true},
		"no section at all":             {`{}`, false},
		"no mapping":                    {`[]`, false},
		"no profile":                    {`{"verification": {"profiles": {}}}`, false},
		"an empty profile":              {`{"verification": {"profiles": {"unit": []}}}`, false},
		"a check without a command":     {`{"verification": {"profiles": {"unit": [{}]}}}`, false},
		"a command as one text":         {`{"verification": {"profiles": {"unit": [{"run": "go test"}]}}}`, false},
		"a command without a word":      {`{"verification": {"profiles": {"unit": [{"run": []}]}}}`, false},
		"a bad name of a profile":       {`{"verification": {"profiles": {"a/b": [{"run": ["a"]}]}}}`, false},
		"an unknown section":            {with(`"hook": {}`), false},
		"an unknown key":                {with(`"stop": {"max_round": 1}`), false},
		"an unknown part of a check":    {check(`"shell": true`), false},
		"an unknown format":             {check(`"format": "junti"`), false},
		"a report outside the tree":     {check(`"report": "/tmp/r"`), false},
		"another version":               {with(`"version": 2`), false},
		"a quoted version":              {with(`"version": "1"`), false},
		"a quoted count":                {with(`"stop": {"max_tries": "3"}`), false},
		"a count of zero":               {with(`"stop": {"max_tries": 0}`), false},
		"a count that is null":          {with(`"stop": {"max_tries": null}`), false},
		"a truth that is a text":        {with(`"generator": {"resume": "yes"}`), false},
		"money that is a number":        {with(`"stop": {"cost_usd": 5.00}`), false},
		"no money":                      {with(`"stop": {"daily_cost_usd": "0.00"}`), false},
		"a duration without unit":       {with(`"stop": {"deadline": 90}`), false},
		"a size of a decimal unit":      {with(`"queue": {"disk_floor": "1GB"}`), false},
		"an unknown choice":             {with(`"queue": {"watch": "event"}`), false},
		"an unknown adapter":            {with(`"generator": {"adapter": "cluade"}`), false},
		"a branch for all tasks":        {with(`"land": {"branch": "x"}`), false},
		"nothing allowed":               {with(`"boundary": {"allow": []}`), false},
		"a pattern that leads out":      {with(`"boundary": {"protect": ["!../a"]}`), false},
		"a shared folder outside":       {with(`"workspace": {"share": ["/a"]}`), false},
		"a factor below one":            {recovers(`"backoff": {"factor": 0.5}`), false},
		"an unknown category":           {recovers(`"chains": {"rate_limit": {}}`), false},
		"an unknown strategy":           {recovers(`"chains": {"network": {"steps": [{"strategy": "rety"}]}}`), false},
		"a step without a strategy":     {recovers(`"chains": {"network": {"steps": [{"max": 1}]}}`), false},
		"an unknown end":                {recovers(`"chains": {"network": {"then": "stop"}}`), false},
		"a pattern without a category":  {recovers(`"patterns": [{"id": "a", "when": {"regex": "x"}}]`), false},
		"a pattern that looks twice":    {recovers(`"patterns": [{"id": "a", "when": {"regex": "x", "pointer": "/a", "equals": "b"}, "category": "network"}]`), false},
		"a pattern that looks nowhere":  {recovers(`"patterns": [{"id": "a", "when": {}, "category": "network"}]`), false},
		"an unknown class":              {recovers(`"patterns": [{"id": "a", "when": {"regex": "x"}, "category": "x-a", "class": "temporary"}]`), false},
		"a strategy of a built-in name": {recovers(`"strategies": {"retry": {"run": ["a"]}}`), false},
		"an unknown tag":                {recovers(`"strategies": {"x-a": {"run": ["a"], "tags": ["slow"]}}`), false},
		"an unknown repeat":             {with(`"effects": {"mail": {"repeat": "always"}}`), false},
		"an effect without a value":     {with(`"effects": {"mail": null}`), false},
		"an unknown sandbox":            {with(`"sandbox": "on"`), false},
		"a variable that is none":       {with(`"generator": {"env": {"pass": ["A=b"]}}`), false},
		"a variable of looprun":         {`{"verification": {"profiles": {"u": [{"run": ["a"]}]}, "env": {"set": {"LOOPRUN_TRY": "1"}}}}`, false},
		"a webhook that is no address":  {with(`"hooks": {"webhook": "example.org"}`), false},
		"records kept for no time":      {with(`"records": {"keep": "0d"}`), false},
	}
	s := compile(t, "config")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := s.Validate(decode(t, tt.data)); (err == nil) != tt.ok {
				t.Errorf("the schema says %v; want good %v", err, tt.ok)
			}
			if _, faults := config.Parse("/repo/loop.yaml", []byte(tt.data)); (len(faults) == 0) != tt.ok {
				t.Errorf("Parse = %v; want good %v", faults, tt.ok)
			}
		})
	}
}

func TestConfigSchemaListsEveryName(t *testing.T) {
	data, err := schema.Get("config")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	names = append(names, config.Adapters...)
	names = append(names, extract.Formats()...)
	for _, c := range recovery.Categories() {
		names = append(names, string(c))
	}
	for _, s := range recovery.Strategies() {
		names = append(names, string(s))
	}
	for _, name := range names {
		if !bytes.Contains(data, []byte(`"`+name+`"`)) {
			t.Errorf("the schema of loop.yaml lacks %q", name)
		}
	}
}

// Records carry more members than are named, but not fewer.
func TestRecordSchemas(t *testing.T) {
	const try = `{"n": 1, "started": "2026-12-01T02:00:00Z", "duration_ms": 5, "strategy": "", "model": "", "category": "none", "retryable": false, "inner_retries": 0, "request_sha256": "", "ended": "exit", "exit_code": 0, "processes_ended": 0, "usage": null, "cost_usd": null}`
	const plan = `{"schema": "looprun.plan/1", "task_id": "t", "round": 2, "based_on_round": 1, "hypothesis": "h", "previous": [], "do_not_repeat": [], "best_round": 0, "strategy": {"name": "replan", "mode": "repair", "why": "w"}, "new_evidence": {"boundary_errors": [], "failed_commands": [{"argv": ["go"], "exit_code": 1, "failures": []}], "generator_failures": [], "failure_signature": "0123456789abcdef"}, "more": 1}`
	tests := map[string]struct {
		schema, data string
		ok           bool
	}{
		"a state":                       {"state", `{"schema": "looprun.state/1", "task_id": "t", "status": "active", "phase": "round_ready", "round": 1, "next_round": 2, "tries": 1, "same_failure": {"signature": "", "count": 0}, "recovery": {"network": {"step": "retry", "started": 1, "used": {"retry": 1}}}, "spent": {}, "more": 1}`, true},
		"a state of an unknown phase":   {"state", `{"schema": "looprun.state/1", "task_id": "t", "status": "active", "phase": "waiting", "round": 1, "next_round": 2, "tries": 1, "same_failure": {"signature": "", "count": 0}, "recovery": {}, "spent": {}}`, false},
		"a state without its tries":     {"state", `{"schema": "looprun.state/1", "task_id": "t", "status": "active", "phase": "claimed", "round": 1, "next_round": 2, "same_failure": {"signature": "", "count": 0}, "recovery": {}, "spent": {}}`, false},
		"a plan":                        {"plan", plan, true},
		"a plan of round 1":             {"plan", strings.Replace(plan, `"round": 2`, `"round": 1`, 1), false},
		"a plan without its evidence":   {"plan", strings.Replace(plan, `"new_evidence"`, `"evidence"`, 1), false},
		"a first request":               {"request", `{"schema": "looprun.request/1", "task_id": "t", "round": 1, "title": "", "goal": "g", "allow": [], "protect": [], "context": [], "model": "", "strategy": {"name": "", "mode": "", "why": ""}, "plan": null, "best_round": 0}`, true},
		"a request with its plan":       {"request", `{"schema": "looprun.request/1", "task_id": "t", "round": 2, "goal": "g", "allow": [], "protect": [], "context": [], "model": "m", "strategy": {"name": "replan", "mode": "repair", "why": ""}, "plan": {"path": "p", "content": ` + plan + `}}`, true},
		"a request with half a plan":    {"request", `{"schema": "looprun.request/1", "task_id": "t", "round": 2, "goal": "g", "allow": [], "protect": [], "context": [], "model": "m", "strategy": {"name": "replan", "mode": "repair", "why": ""}, "plan": {"path": "p", "content": {}}}`, false},
		"a report":                      {"report", `{"status": "failed", "summary": null, "usage": {"input": 1}, "error": {"code": "rate_limited", "message": "m", "retry_after_s": 1.5}, "more": 1}`, true},
		"a report that says done":       {"report", `{"status": "done"}`, false},
		"a report without a status":     {"report", `{"summary": "s"}`, false},
		"a report with negative tokens": {"report", `{"status": "failed", "usage": {"input": -1}}`, false},
		"an attempt":                    {"attempt", `{"schema": "looprun.attempt/1", "task_id": "t", "round": 1, "based_on": 0, "policy_sha": "` + strings.Repeat("0", 64) + `", "decision": "retry", "reason": "verification_failed_replan", "rule": "chain", "consecutive_same_failure": 1, "generation": {"status": "", "summary": ""}, "candidate": {"tree": "", "commit": "", "changed_files": [], "changed_lines": 0}, "tries": [` + try + `], "verification": {"accepted": false, "boundary_errors": [], "checks": [{"argv": ["go"], "exit_code": 1, "signal": "", "duration_ms": 1, "path_taken": "fallback", "failures": [], "tests": {"run": null, "passed": null}, "flaky": false, "stdout": {}, "stderr": {}}], "red_to_green": []}}`, true},
		"an attempt without its tries":  {"attempt", `{"schema": "looprun.attempt/1", "task_id": "t", "round": 1, "based_on": 0, "policy_sha": "` + strings.Repeat("0", 64) + `", "decision": "retry", "reason": "r", "rule": "chain", "consecutive_same_failure": 1, "generation": {"status": "", "summary": ""}, "candidate": {"tree": "", "commit": "", "changed_files": [], "changed_lines": 0}, "verification": null}`, false},
		"a result":                      {"result", `{"schema": "looprun.result/1", "decision": "completed", "reason": "independent_verification_passed", "task_id": "t", "round": 1, "tries": 1, "history": [{"round": 1, "decision": "completed", "reason": "independent_verification_passed"}], "rejected_refs": [], "spent": {}, "chain_head": "0", "more": 1}`, true},
		"a result without its history":  {"result", `{"schema": "looprun.result/1", "decision": "completed", "reason": "r", "task_id": "t", "round": 1, "rejected_refs": [], "spent": {}, "chain_head": "0"}`, false},
		"a pass that stopped early":     {"result", `{"decision": "interrupted", "reason": "paused_after_replan", "task_id": "t", "completed_round": 1, "next_round": 2, "plan": "p", "failure_signature": "0123456789abcdef", "chain_head": "0"}`, true},
		"a result that is no end":       {"result", `{"decision": "retry", "reason": "r", "task_id": "t"}`, false},
		"an event":                      {"event", `{"schema": "looprun.event/1", "at": "2026-12-01T02:00:00Z", "task_id": "t", "seq": 3, "kind": "decide", "decision": "retry", "more": 1}`, true},
		"an event without its number":   {"event", `{"schema": "looprun.event/1", "at": "2026-12-01T02:00:00Z", "task_id": "t", "kind": "decide"}`, false},
		"an event of another schema":    {"event", `{"schema": "looprun.event/2", "at": "2026-12-01T02:00:00Z", "task_id": "t", "seq": 3, "kind": "decide"}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := compile(t, tt.schema).Validate(decode(t, tt.data)); (err == nil) != tt.ok {
				t.Errorf("the schema says %v; want good %v", err, tt.ok)
			}
		})
	}
}
