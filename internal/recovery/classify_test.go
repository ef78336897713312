package recovery

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Everything at once: each case takes away what decided the one before it.
func TestTheFirstSignThatFitsDecides(t *testing.T) {
	user := compiled(t, Pattern{ID: "mine", Regex: "rate limit", Category: PermissionDenied})
	all := Signs{
		Ended: EndedTimeout, ExitCode: code(127), Signal: "SEGV", NotFound: true, Expects: true,
		Exits:        map[int]Category{55: RateLimited},
		Event:        &Event{Seen: true, Finish: "length", Cause: Cause{Status: 401, Text: "stream disconnected"}},
		Report:       &Report{Status: ReportNeedsInput, Code: "disk_full", Message: "no space left on device"},
		ReportFaults: []string{"/status: unknown"}, Stderr: "Error: rate limit",
	}
	for _, test := range []struct {
		name     string
		take     func(*Signs)
		category Category
		rule     string
	}{
		{"looprun's own timer", func(s *Signs) {}, Timeout, "wall-limit"},
		{"looprun's own silence limit", func(s *Signs) { s.Ended = EndedSilence }, Stalled, "silence-limit"},
		{"looprun was told to stop", func(s *Signs) { s.Ended = EndedInterrupted }, Interrupted, "interrupted"},
		{"a command that is missing", func(s *Signs) { s.Ended = EndedExit }, ToolUnavailable, "command-not-found"},
		{"exit 127", func(s *Signs) { s.NotFound = false }, ToolUnavailable, "command-not-found"},
		{"exit 126", func(s *Signs) { s.ExitCode = code(126) }, ToolUnavailable, "command-not-executable"},
		{"the event's finish reason", func(s *Signs) { s.ExitCode = code(55) }, OutputTruncated, "finish-reason"},
		{"the event's status", func(s *Signs) { s.Event.Finish = "" }, Auth, "api-error"},
		{"a signal", func(s *Signs) { s.Event.Status = 0 }, Crashed, "signal"},
		{"an exit code that the adapter knows", func(s *Signs) { s.Signal = "" }, RateLimited, "exit-code"},
		{"the report's code", func(s *Signs) { s.ExitCode = code(1) }, DiskFull, "report-error"},
		{"the report's question", func(s *Signs) { s.Report.Code = "" }, NeedsInfo, "report-needs-input"},
		{"a user pattern", func(s *Signs) { s.Report.Status = ReportFailed }, PermissionDenied, "mine"},
		{"the report's words", func(s *Signs) { s.Stderr = "" }, DiskFull, "disk-full"},
		{"the event's words", func(s *Signs) { s.Report = nil }, Network, "connection"},
		{"the report's form", func(s *Signs) { s.Event = nil }, JSONError, "report-schema"},
		{"a bare exit", func(s *Signs) { s.ReportFaults = nil }, Crashed, "bare-exit"},
		{"an exit without an event", func(s *Signs) { s.ExitCode = code(0) }, EmptyResponse, "no-terminal-event"},
		{"nothing is known", func(s *Signs) { s.ExitCode = nil }, Unknown, "unknown-error"},
		{"a program without events that exits 0", func(s *Signs) { s.ExitCode, s.Expects = code(0), false }, None, "success"},
	} {
		test.take(&all)
		if got := Classify(all, user); got.Category != test.category || got.Rule != test.rule {
			t.Errorf("%s: %s by %s; want %s by %s", test.name, got.Category, got.Rule, test.category, test.rule)
		}
	}
}

// Each built-in pattern by its id, in words that the rules were not written from.
func TestBuiltInPatterns(t *testing.T) {
	cases := map[string]struct {
		category Category
		text     string
	}{
		"disk-full":             {DiskFull, "write /tmp/a: disk quota exceeded"},
		"session-lost":          {SessionLost, "Error: the conversation 4711 could not be found"},
		"tool-pair":             {ToolPair, "messages.3: `tool_use` blocks were left without their `tool_result`"},
		"output-limit":          {OutputTruncated, "The answer was cut off because max_tokens was reached"},
		"token-limit":           {ContextWindow, "the request exceeds the available context size, try a larger window: context window of 8192 exceeded"},
		"insufficient-quota":    {QuotaExhausted, "[insufficient_quota] see the plan page"},
		"quota-exceeded":        {QuotaExhausted, "Sorry, the quota of this project has been used up"},
		"usage-limit":           {QuotaExhausted, "You reached your team's shared monthly budget"},
		"no-credit":             {QuotaExhausted, "You have run out of credits"},
		"rate-limit":            {RateLimited, "Throttled: too many concurrent requests"},
		"content-filter":        {Refused, "The prompt was flagged by our safety system"},
		"overloaded":            {Overloaded, "Our servers are experiencing heavy load"},
		"empty-response":        {EmptyResponse, "The model returned nothing"},
		"timeout":               {Network, "upstream request timeout"},
		"connection":            {Network, "dial tcp: lookup api.example.com: no such host"},
		"turn-limit":            {TurnLimit, "Stopped after the maximum of 25 steps"},
		"auth":                  {Auth, "Your API key has expired"},
		"permission":            {PermissionDenied, "Write was rejected by the user"},
		"tool-call":             {EditError, "Unknown tool: write_fiel"},
		"edit-not-found":        {EditError, "Could not find the old text in src/a.go"},
		"edit-multiple-matches": {EditError, "The old_string is not unique in src/a.go"},
		"edit-same-content":     {EditError, "old_string and new_string are exactly the same"},
		"edit-format":           {EditError, "Failed to apply patch to src/a.go"},
		"model-not-found":       {ModelNotFound, "No such model: gpt-99"},
		"json-parse-error":      {JSONError, "Bad control character in string literal in JSON at position 7"},
		"tool-unavailable":      {ToolUnavailable, "bash: line 1: rg: command not found"},
		"process-crash":         {Crashed, "thread 'main' panicked at src/main.rs:7"},
		"invalid-request":       {InvalidRequest, "Unsupported parameter: reasoning"},
		"api-error":             {Overloaded, "HTTP 507 from the gateway"},
	}
	for _, r := range rules {
		if _, ok := cases[r.id]; !ok {
			t.Errorf("rule %s has no case", r.id)
		}
	}
	for id, test := range cases {
		s := Signs{Ended: EndedExit, ExitCode: code(1), Expects: true, Event: &Event{Seen: true, Cause: Cause{Text: test.text}}}
		if got := Classify(s, nil); got.Category != test.category || got.Rule != id {
			t.Errorf("%q is %s by %s; want %s by %s", test.text, got.Category, got.Rule, test.category, id)
		}
	}
}

func TestCodesOfBuiltInPatternsAreUniqueAndPlain(t *testing.T) {
	owner := map[string]string{}
	for _, r := range rules {
		for _, c := range r.codes {
			if c != plainName(c) {
				t.Errorf("rule %s: code %q can never match", r.id, c)
			}
			if owner[c] != "" {
				t.Errorf("code %q belongs to %s and %s", c, owner[c], r.id)
			}
			owner[c] = r.id
		}
	}
}

func TestAStatusIsReadWithTheWordsThatItMayHave(t *testing.T) {
	for name, test := range map[string]struct {
		cause Cause
		want  Category
	}{
		"401":                                  {Cause{Status: 401, Text: "request timed out"}, Auth},
		"402":                                  {Cause{Status: 402}, QuotaExhausted},
		"403 of the provider":                  {Cause{Status: 403, Text: "Your key has no access to this model."}, Auth},
		"403 for want of quota":                {Cause{Status: 403, Text: "monthly usage limit exceeded"}, QuotaExhausted},
		"404 of a model":                       {Cause{Status: 404, Text: "no such engine"}, ModelNotFound},
		"404 of anything else":                 {Cause{Status: 404, Text: "page not found"}, InvalidRequest},
		"408":                                  {Cause{Status: 408}, Network},
		"413":                                  {Cause{Status: 413, Text: "rate_limit_exceeded: tokens per minute"}, ContextWindow},
		"429":                                  {Cause{Status: 429}, RateLimited},
		"429 for want of quota":                {Cause{Status: 429, Text: "You exceeded your current quota"}, QuotaExhausted},
		"429 by a code":                        {Cause{Status: 429, Codes: []string{"insufficient_quota"}}, QuotaExhausted},
		"429 of an engine":                     {Cause{Status: 429, Text: "The engine is currently overloaded"}, Overloaded},
		"400":                                  {Cause{Status: 400, Text: "Invalid value"}, InvalidRequest},
		"400 of a full context":                {Cause{Status: 400, Text: "prompt is too long: 9 tokens > 8 maximum"}, ContextWindow},
		"400 of a key":                         {Cause{Status: 400, Text: "API key not valid"}, Auth},
		"400 of JSON is the request's fault":   {Cause{Status: 400, Text: "We could not parse the JSON body"}, InvalidRequest},
		"a refusal by its type":                {Cause{Codes: []string{"invalid_request_error"}, Text: "could not parse the JSON body"}, InvalidRequest},
		"500":                                  {Cause{Status: 500, Text: "socket hang up"}, Overloaded},
		"504":                                  {Cause{Status: 504}, Network},
		"529":                                  {Cause{Status: 529}, Overloaded},
		"a status in words":                    {Cause{Text: "status code 529"}, Overloaded},
		"a status as a value wins over words":  {Cause{Status: 401, Text: "429 too many requests"}, Auth},
		"a quota a minute is a rate":           {Cause{Status: 429, Text: "Quota exceeded for requests per minute"}, RateLimited},
		"a quota a day is a quota":             {Cause{Status: 429, Text: "Quota exceeded for requests per\n  day", Codes: []string{"RESOURCE_EXHAUSTED"}}, QuotaExhausted},
		"a resource with seconds is a rate":    {Cause{Status: 429, Text: "exceeded your current quota, retry in 30s", Codes: []string{"RESOURCE_EXHAUSTED"}}, RateLimited},
		"a resource with hours is a quota":     {Cause{Status: 429, Text: "exceeded your current quota, retry in 3h", Codes: []string{"RESOURCE_EXHAUSTED"}}, QuotaExhausted},
		"a throttle that denies being a quota": {Cause{Text: "temporarily limiting requests (not your usage limit) · Rate limited"}, RateLimited},
		"a rate of tokens is no full context":  {Cause{Text: "would exceed your rate limit of 30,000 input tokens per minute"}, RateLimited},
		"a limit that the request asks for":    {Cause{Status: 400, Text: "max_tokens is too large: 100000, at most 16384 completion tokens"}, InvalidRequest},
		"a full context that names max_tokens": {Cause{Text: "input length and `max_tokens` exceed context limit: 9 + 2 > 10, decrease and try again"}, ContextWindow},
		"a stream cut for want of quota":       {Cause{Text: "stream disconnected before completion: You exceeded your current quota"}, QuotaExhausted},
	} {
		s := Signs{Ended: EndedExit, ExitCode: code(1), Expects: true, Event: &Event{Seen: true, Cause: test.cause}}
		if got := Classify(s, nil); got.Category != test.want {
			t.Errorf("%s: %s by %s; want %s", name, got.Category, got.Rule, test.want)
		}
	}
}

func TestQuotaIsRetryableIfItsEndIsNamed(t *testing.T) {
	for text, want := range map[string]bool{
		"You exceeded your current quota, please check your plan":     false,
		"Credit balance is too low":                                   false,
		"You've hit your usage limit. Upgrade to Pro.":                false,
		"You've hit your limit · resets 1pm (Europe/Lisbon)":          true,
		"You have exhausted your daily quota on this model":           true,
		"5-hour limit reached":                                        true,
		"You've hit your usage limit, try again in 2 days":            true,
		"usage limit reached, your limits reset with the next period": true,
	} {
		s := Signs{ExitCode: code(1), Event: &Event{Seen: true, Cause: Cause{Text: text}}}
		if got := Classify(s, nil); got.Category != QuotaExhausted || got.Retryable != want {
			t.Errorf("%q: %s, retryable %t; want quota_exhausted, %t", text, got.Category, got.Retryable, want)
		}
	}
}

func TestAValueForTheWaitWinsOverWords(t *testing.T) {
	span := 7 * time.Second
	s := Signs{ExitCode: code(1), Event: &Event{Seen: true, Cause: Cause{Status: 429, RetryAfter: &span, Text: "try again in 9 hours"}}}
	if got := Classify(s, nil); got.RetryAfter == nil || *got.RetryAfter != span {
		t.Errorf("RetryAfter = %v; want %s", got.RetryAfter, span)
	}
	s.Event.RetryAfter = new(time.Duration)
	*s.Event.RetryAfter = 3650 * 24 * time.Hour
	if got := Classify(s, nil); got.RetryAfter == nil || *got.RetryAfter != 9*time.Hour {
		t.Errorf("RetryAfter = %v after ten years were asked; want the words' 9h", got.RetryAfter)
	}
}

func TestWaitCountsFromNow(t *testing.T) {
	now := at(t, readAt)
	span := time.Minute
	for name, test := range map[string]struct {
		failure Failure
		want    time.Duration
		ok      bool
	}{
		"a span":             {Failure{RetryAfter: &span}, time.Minute, true},
		"an instant":         {Failure{ResetAt: now.Add(time.Hour)}, time.Hour, true},
		"an instant gone by": {Failure{ResetAt: now.Add(-time.Hour)}, 0, false},
		"a month ahead":      {Failure{ResetAt: now.AddDate(0, 1, 0)}, 0, false},
		"nothing":            {Failure{}, 0, false},
	} {
		got, ok := test.failure.Wait(now)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s: Wait = %s, %t; want %s, %t", name, got, ok, test.want, test.ok)
		}
	}
}

func TestWhatAnAgentSaysOrPrintsIsNoEvidence(t *testing.T) {
	noise := strings.Repeat("HTTP 429: rate limit, quota exceeded, invalid API key, context length exceeded\n", 50)
	for name, s := range map[string]Signs{
		"on stderr of a program that exits 0":           {ExitCode: code(0), Stderr: noise},
		"beside an event that says all went well":       {ExitCode: code(1), Expects: true, Stderr: noise, Event: &Event{Seen: true, Good: true, Final: 40}},
		"in a file that a tool read":                    {ExitCode: code(0), Expects: true, Event: &Event{Seen: true, Good: true, Final: 40, ToolCalls: 9}},
		"in the last tool's words over a change":        {ExitCode: code(0), Expects: true, Changed: true, Event: &Event{Seen: true, Good: true, ToolError: "String to replace not found"}},
		"in a report that reports a candidate":          {ExitCode: code(0), Report: &Report{Status: "candidate_ready"}, Stderr: noise},
		"in a failed tool's words that are not its own": {ExitCode: code(0), Expects: true, Event: &Event{Seen: true, Good: true, Final: 40, ToolError: "got 429 Too Many Requests"}},
	} {
		if got := Classify(s, nil); got.Category != None {
			t.Errorf("%s: %s by %s; want none", name, got.Category, got.Rule)
		}
		if all := ClassifyAll(s, nil); all != nil {
			t.Errorf("%s: ClassifyAll lists %d rules; want none", name, len(all))
		}
	}
}

func TestWhyARunThatEndedWellChangedNothing(t *testing.T) {
	good := func(change func(*Event)) *Event {
		e := &Event{Seen: true, Good: true, Final: 40, ToolCalls: 1}
		change(e)
		return e
	}
	for name, test := range map[string]struct {
		signs Signs
		want  Category
		rule  string
	}{
		"a tool was refused":            {Signs{Event: good(func(e *Event) { e.Denied = []string{"Write"} })}, PermissionDenied, "permission-denials"},
		"its edits failed to the end":   {Signs{Event: good(func(e *Event) { e.ToolError = "String to replace not found in file." })}, EditError, "edit-not-found"},
		"its tools cannot start":        {Signs{Event: good(func(e *Event) { e.ToolError = "bwrap: execvp helper: No such file or directory" })}, ToolUnavailable, "tool-unavailable"},
		"the last line of stderr tells": {Signs{Event: good(func(*Event) {}), Stderr: "started\n! permission requested: edit (a.txt); auto-rejecting\n"}, PermissionDenied, "permission"},
		"there was no answer":           {Signs{Event: good(func(e *Event) { e.Final, e.ToolCalls = 4, 0 })}, EmptyResponse, "empty-response"},
		"five characters are an answer": {Signs{Event: good(func(e *Event) { e.Final, e.ToolCalls = 5, 0 })}, None, "success"},
		"a tool call is an answer":      {Signs{Event: good(func(e *Event) { e.Final = 0 })}, None, "success"},
		"a report is an answer":         {Signs{Event: good(func(e *Event) { e.Final, e.ToolCalls = 0, 0 }), Report: &Report{Status: "no_change"}}, None, "success"},
		"a plain program may be silent": {Signs{}, None, "success"},
	} {
		s := test.signs
		s.Ended, s.ExitCode, s.Expects = EndedExit, code(0), s.Event != nil
		if got := Classify(s, nil); got.Category != test.want || got.Rule != test.rule {
			t.Errorf("%s: %s by %s; want %s by %s", name, got.Category, got.Rule, test.want, test.rule)
		}
		s.Changed = true
		if got := Classify(s, nil); got.Category != None {
			t.Errorf("%s, but the tree changed: %s by %s; want none", name, got.Category, got.Rule)
		}
	}
}

func TestOnlyTheEndOfStderrCounts(t *testing.T) {
	for name, test := range map[string]struct {
		stderr string
		want   Category
	}{
		"its last line":                         {"starting\nall well\nrate limit exceeded\n", RateLimited},
		"an error above a stack":                {"Error: fetch failed\n    at a (x.js:1)\n    at b (x.js:2)\n", Network},
		"the last of two errors":                {"Error: 429 too many requests\n\nError: 401 invalid API key\n", Auth},
		"attempts before the error are none":    {"attempt 1 failed: 429, retrying\nError: invalid API key\n", Auth},
		"attempts alone are better than naught": {"attempt 1 failed: 429 Too Many Requests, retrying\n", RateLimited},
		"a warning is no error":                 {"Warning: rate limit is near\nbye\n", Crashed},
		"a log of long ago is none":             {"looking at the rate limit in client.go\n\nnow the rest\n\nbye\n", Crashed},
		"an error of long ago is one":           {"Error: quota exceeded\n\n\ncleaning up\n", QuotaExhausted},
		"a test's output is none":               {"=== RUN TestLimit\n    a_test.go:7: 429 Too Many Requests\n--- FAIL: TestLimit\nFAIL\n", Crashed},
		"a diff is none":                        {"diff --git a b\n+ rate limit exceeded\n- quota exceeded\n", Crashed},
		"a far beginning is none":               {"Error: quota exceeded\n" + strings.Repeat("working\n", 5000), Crashed},
		"colours are no part of it":             {"\x1b[31mError:\x1b[0m \x1b[1mquota\x1b[0m exceeded\n", QuotaExhausted},
		"a lone carriage return ends a line":    {"10%\r20%\rError: fetch failed", Network},
		"an unknown text":                       {"qwertz\n", Crashed},
	} {
		s := Signs{Ended: EndedExit, ExitCode: code(1), Stderr: test.stderr}
		if got := Classify(s, nil); got.Category != test.want {
			t.Errorf("%s: %s by %s; want %s", name, got.Category, got.Rule, test.want)
		}
	}
}

func TestReportsOfTheGenerator(t *testing.T) {
	wait := 20.0
	for name, test := range map[string]struct {
		report Report
		exit   int
		want   Category
		rule   string
	}{
		"a category":                  {Report{Status: ReportFailed, Code: "tool_pair"}, 0, ToolPair, "report-error"},
		"an own category":             {Report{Status: ReportFailed, Code: "x-licence"}, 1, "x-licence", "report-error"},
		"another code, by its name":   {Report{Status: ReportFailed, Code: "RateLimitError", RetryAfterS: &wait}, 0, RateLimited, "rate-limit"},
		"another code, by its words":  {Report{Status: ReportFailed, Code: "E1", Message: "connection refused"}, 0, Network, "connection"},
		"words that nobody knows":     {Report{Status: ReportFailed, Code: "E1", Message: "hm"}, 0, Unknown, "report-failed"},
		"none is no category":         {Report{Status: ReportFailed, Code: "none"}, 0, Unknown, "report-failed"},
		"a question":                  {Report{Status: ReportNeedsInput, Question: "Which port?"}, 1, NeedsInfo, "report-needs-input"},
		"a failure without a reason":  {Report{Status: ReportFailed}, 1, Unknown, "report-failed"},
		"a candidate from a bad exit": {Report{Status: "candidate_ready"}, 3, Crashed, "bare-exit"},
		"a candidate":                 {Report{Status: "candidate_ready"}, 0, None, "success"},
	} {
		got := Classify(Signs{Ended: EndedExit, ExitCode: &test.exit, Report: &test.report}, nil)
		if got.Category != test.want || got.Rule != test.rule {
			t.Errorf("%s: %s by %s; want %s by %s", name, got.Category, got.Rule, test.want, test.rule)
		}
		if test.report.RetryAfterS != nil && (got.RetryAfter == nil || *got.RetryAfter != 20*time.Second) {
			t.Errorf("%s: RetryAfter = %v; want 20s", name, got.RetryAfter)
		}
	}
}

func TestAFailureIsOneBoundedLine(t *testing.T) {
	s := Signs{ExitCode: code(1), Event: &Event{Seen: true, Cause: Cause{
		Codes: []string{strings.Repeat("c", 500)}, Text: "bad\x00\x1b[31m\xff\n\t text " + strings.Repeat("ü", 5000),
	}}}
	got := Classify(s, nil)
	if len(got.Detail) > maxDetail || len(got.Code) > 80 || strings.ContainsAny(got.Detail, "\x00\x1b\n\t\xff") {
		t.Errorf("Detail is %d bytes: %q", len(got.Detail), got.Detail)
	}
	if !strings.HasPrefix(got.Detail, "bad") {
		t.Errorf("Detail = %q; want it to begin with the error's words", clip(got.Detail, 40))
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("Error: 429 {\"type\":\"error\"}", "stream disconnected", "code", 1, true)
	f.Add("", "", "", 0, false)
	f.Add("! permission requested", "{{{{", "rate_limited", 137, true)
	f.Fuzz(func(t *testing.T, stderr, text, name string, exit int, expects bool) {
		s := Signs{
			Ended: EndedExit, ExitCode: &exit, Expects: expects, Stderr: stderr,
			Event:  &Event{Seen: text != "", Cause: Cause{Text: text, Codes: []string{name}}, ToolError: stderr, Raw: []byte(text)},
			Report: &Report{Code: name, Message: text},
		}
		got, all := Classify(s, nil), ClassifyAll(s, nil)
		if got.Category != None && !KnownCategory(got.Category) {
			t.Errorf("category %q is not known", got.Category)
		}
		if (got.Category == None) != (len(all) == 0) {
			t.Errorf("Classify says %s, ClassifyAll lists %d", got.Category, len(all))
		}
		if len(all) > 0 && (all[0].Category != got.Category || all[0].Rule != got.Rule) {
			t.Errorf("Classify says %s by %s, ClassifyAll begins with %s by %s", got.Category, got.Rule, all[0].Category, all[0].Rule)
		}
		if got.RetryAfter != nil && (*got.RetryAfter < 0 || *got.RetryAfter > maxReset) {
			t.Errorf("RetryAfter %s is out of bounds", *got.RetryAfter)
		}
		if slices.ContainsFunc(all, func(f Failure) bool { return len(f.Detail) > maxDetail || f.Rule == "" }) {
			t.Error("a failure has no rule or too long a detail")
		}
	})
}
