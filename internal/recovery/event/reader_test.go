package event

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/unit"
)

// told is what a run tells, in one value.
type told struct {
	Session  string
	Usage    Usage
	Cost     string // "" when not told
	Message  string
	Tools    int
	Retries  int
	Good     bool
	Finish   string
	ToolFail string
}

func tell(r *Run) told {
	t := told{Session: r.Session, Usage: r.Usage, Message: r.Message, Tools: r.ToolCalls, Retries: r.InnerRetries}
	if r.CostKnown {
		t.Cost = r.Cost.String()
	}
	if e := r.Event(); e != nil && e.Seen {
		t.Good, t.Finish, t.ToolFail = e.Good, e.Finish, e.ToolError
	}
	return t
}

func read(cli string, lines ...string) *Run {
	r := New(cli)
	for _, line := range lines {
		r.Feed([]byte(line))
	}
	return r.Run()
}

// One run of each CLI against a scripted model: it writes a file, then says so.
func TestARunOfEachCLI(t *testing.T) {
	done := "All done: hello.txt written."
	usage := Usage{Input: 2000, Output: 68, CacheRead: 400}
	for name, want := range map[string]told{
		"codex.jsonl":      {Session: "01a22e55-2be6-7b91-b429-56d32c36cfef", Usage: usage, Message: done, Tools: 1, Good: true},
		"opencode.jsonl":   {Session: "ses_dd1a5da50ffew1mQUsKwirmciC", Usage: usage, Cost: "0.002136", Message: done, Tools: 1, Good: true},
		"pi.jsonl":         {Session: "01a22e54-ea1f-7397-835c-9dcfa7d7beb3", Usage: usage, Cost: "0.002176", Message: done, Tools: 1, Good: true, Finish: "stop"},
		"qwen.jsonl":       {Session: "02b0fc97-f5ee-4f2a-b353-ee52b59e4e06", Usage: usage, Message: done, Tools: 1, Good: true},
		"gemini.jsonl":     {Session: "5c2dc1a9-f9a6-4345-8a69-d334cf04e7bd", Usage: usage, Message: done, Tools: 1, Good: true},
		"gemini-json.json": {Session: "1b61e6ae-2343-45c7-850a-c85a9905d4c5", Usage: usage, Message: done, Tools: 1, Good: true},
		"cn.jsonl":         {Message: done, Good: true},
		"cline.jsonl":      {Usage: usage, Cost: "0.00", Message: done, Tools: 1, Good: true},
	} {
		data, err := os.ReadFile(filepath.Join("testdata/runs", name))
		if err != nil {
			t.Fatal(err)
		}
		cli, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), ".")
		got := tell(read(cli, strings.Split(string(data), "\n")...))
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
		s := FromOutput(cli, new(int), string(data))
		if f := recovery.Classify(s, nil); f.Category != recovery.None {
			t.Errorf("%s: %s by %s; want none", name, f.Category, f.Rule)
		}
	}
}

func TestClaudeTellsUsageMoneyAndRetries(t *testing.T) {
	got := tell(read("claude",
		`{"type":"system","subtype":"init","session_id":"s1"}`,
		`{"type":"system","subtype":"api_retry","session_id":"s1","attempt":1}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"t1","name":"Edit"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"String to replace not found"}]}}`,
		`{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"a helper's words"}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s2","total_cost_usd":0.2100004,`+
			`"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":6,"cache_read_input_tokens":40,"cache_creation_input_tokens":50}}`,
	))
	want := told{Session: "s2", Usage: Usage{3, 6, 40, 50}, Cost: "0.21", Message: "Done.", Tools: 1, Retries: 1, Good: true, Finish: "end_turn", ToolFail: "String to replace not found"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestWhichEventIsTheLastWord(t *testing.T) {
	for name, test := range map[string]struct {
		cli   string
		lines []string
		want  recovery.Category
	}{
		"an error that codex got over": {"codex", []string{
			`{"type":"error","message":"Reconnecting... 1/5 (429 Too Many Requests)"}`,
			`{"type":"item.completed","item":{"type":"agent_message","text":"All done."}}`, `{"type":"turn.completed"}`}, recovery.None},
		"a failed turn before a good one": {"codex", []string{
			`{"type":"turn.failed","error":{"message":"429"}}`, `{"type":"turn.started"}`,
			`{"type":"item.completed","item":{"type":"agent_message","text":"All done."}}`, `{"type":"turn.completed"}`}, recovery.None},
		"an error without an end, of a run that failed": {"codex", []string{
			`{"type":"error","message":"You've hit your usage limit."}`}, recovery.QuotaExhausted},
		"a step after opencode's error": {"opencode", []string{
			`{"type":"error","error":{"name":"ContextOverflowError","data":{}}}`, `{"type":"step_start","part":{}}`,
			`{"type":"text","part":{"text":"All done."}}`, `{"type":"step_finish","part":{"reason":"stop"}}`}, recovery.None},
		"an error after opencode's last step": {"opencode", []string{
			`{"type":"step_finish","part":{"reason":"tool-calls"}}`, `{"type":"error","error":{"name":"APIError","data":{"statusCode":529}}}`}, recovery.Overloaded},
		"a retry after pi's end": {"pi", []string{
			`{"type":"agent_end","messages":[{"role":"assistant","content":[],"stopReason":"error","errorMessage":"429"}]}`,
			`{"type":"auto_retry_start"}`, `{"type":"agent_start"}`,
			`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"All done."}],"stopReason":"stop"}}`,
			`{"type":"agent_end","messages":[]}`}, recovery.None},
		"a compaction after pi's end does not take it back": {"pi", []string{
			`{"type":"agent_end","messages":[{"role":"assistant","content":[],"stopReason":"error","errorMessage":"prompt is too long"}]}`,
			`{"type":"compaction_start","reason":"overflow"}`}, recovery.ContextWindow},
		"gemini's error has the words of its result": {"gemini", []string{
			`{"type":"error","severity":"error","message":"The model returned an empty response"}`, `{"type":"result","status":"error"}`}, recovery.EmptyResponse},
		"a warning has none": {"gemini", []string{
			`{"type":"error","severity":"warning","message":"rate limit is near"}`, `{"type":"result","status":"error"}`}, recovery.Unknown},
		"claude's is_error goes before its subtype": {"claude", []string{
			`{"type":"result","subtype":"success","is_error":true,"result":"Prompt is too long"}`}, recovery.ContextWindow},
		"claude's success that speaks of errors": {"claude", []string{
			`{"type":"result","subtype":"success","is_error":false,"result":"API Error: 429 is now handled.","usage":{"input_tokens":5,"output_tokens":9}}`}, recovery.None},
		"a result that no model wrote": {"claude", []string{
			`{"type":"result","subtype":"success","is_error":false,"result":"Credit balance is too low","usage":{"input_tokens":0,"output_tokens":0}}`}, recovery.QuotaExhausted},
		"an error in brackets at the end of an answer": {"qwen", []string{
			`{"type":"result","subtype":"success","is_error":false,"result":"I will [API Error: terminated (cause: other side closed)]","usage":{"input_tokens":9,"output_tokens":9}}`}, recovery.Network},
		"an answer that begins with brackets": {"qwen", []string{
			`{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 429] answers are now retried.","usage":{"input_tokens":9,"output_tokens":9}}`}, recovery.None},
		"cline's class of its error": {"cline", []string{
			`{"type":"agent_event","event":{"type":"error","error":{"name":"Error","message":"x"},"errorClass":"auth"}}`,
			`{"type":"run_result","finishReason":"error","text":"x"}`}, recovery.Auth},
		"copilot's exit code": {"copilot", []string{
			`{"type":"session.error","data":{"errorType":"rate_limited","message":"slow down"}}`, `{"type":"result","exitCode":1}`}, recovery.RateLimited},
		"a tool's words are not the agent's": {"claude", []string{
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"bash: foo: command not found"}]}}`,
			`{"type":"result","subtype":"success","is_error":false,"result":"All done."}`}, recovery.None},
		"a CLI's events in an unknown program": {"wrapper", []string{
			`starting`, `{"type":"turn.failed","error":{"message":"529 Overloaded"}}`}, recovery.Overloaded},
		"but only in its last line": {"wrapper", []string{
			`{"type":"turn.failed","error":{"message":"529 Overloaded"}}`, ``, `bye`}, recovery.Crashed},
		"a body that cannot be read is text": {"codex", []string{`{"type":"turn.failed","error":`, `Error: fetch failed`}, recovery.Network},
	} {
		exit := 1
		got := recovery.Classify(FromOutput(test.cli, &exit, strings.Join(test.lines, "\n")), nil)
		if got.Category != test.want {
			t.Errorf("%s: %s by %s; want %s", name, got.Category, got.Rule, test.want)
		}
	}
}

func TestToolCallsThatFailedToTheEnd(t *testing.T) {
	for name, test := range map[string]struct {
		cli   string
		lines []string
		want  string
	}{
		"claude's edit": {"claude", []string{
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Edit"}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no match"}]}}`}, "no match"},
		"claude's edit without its call": {"claude", []string{
			`{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"<tool_use_error>no match</tool_use_error>"}]}}`}, "no match"},
		"a command is not its tool": {"claude", []string{
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"foo: command not found"}]}}`}, ""},
		"a later call that went well": {"gemini", []string{
			`{"type":"tool_result","tool_id":"1","status":"error","error":{"message":"0 occurrences found"}}`,
			`{"type":"tool_result","tool_id":"2","status":"success"}`}, ""},
		"codex cannot start its sandbox": {"codex", []string{
			`{"type":"item.completed","item":{"type":"command_execution","status":"failed","aggregated_output":"bwrap: execvp codex-linux-sandbox: No such file or directory\n"}}`},
			"bwrap: execvp codex-linux-sandbox: No such file or directory"},
		"opencode's invalid tool": {"opencode", []string{
			`{"type":"tool_use","part":{"tool":"invalid","state":{"status":"completed","output":"The arguments provided to the tool are invalid"}}}`},
			"The arguments provided to the tool are invalid"},
		"pi's edit":    {"pi", []string{`{"type":"tool_execution_end","toolName":"edit","isError":true,"result":{"content":[{"type":"text","text":"no match"}]}}`}, "no match"},
		"cline's edit": {"cline", []string{`{"type":"agent_event","event":{"type":"content_end","contentType":"tool","toolName":"editor","output":{"success":false,"error":"no match"}}}`}, "no match"},
	} {
		e := read(test.cli, test.lines...).Event()
		if e == nil || e.ToolError != test.want {
			t.Errorf("%s: event %+v; want the tool's error %q", name, e, test.want)
		}
	}
}

func TestCountsAndMoneyFromOutsideAreBounded(t *testing.T) {
	r := read("claude", `{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":-1,`+
		`"usage":{"input_tokens":-5,"output_tokens":1e300,"cache_read_input_tokens":"many"}}`)
	if r.Usage != (Usage{}) || r.CostKnown {
		t.Errorf("usage %+v, cost known %t; want nothing", r.Usage, r.CostKnown)
	}
	r = read("claude", `{"type":"result","result":"Done.","total_cost_usd":0.0000014}`)
	if r.Cost != unit.Money(1) {
		t.Errorf("cost %s; want a millionth", r.Cost)
	}
}

func TestLongLinesAndMessagesAreBounded(t *testing.T) {
	r := New("codex")
	if !r.Feed([]byte(`{"type":"item.completed","item":{"type":"agent_message","text":"` + strings.Repeat("ä", maxMessage) + `"}}`)) {
		t.Error("a long line was taken for text")
	}
	if got := len(r.Run().Message); got > maxMessage {
		t.Errorf("kept %d bytes of a message", got)
	}
	if r.Feed(append([]byte(`{"type":"x","a":"`), bytes.Repeat([]byte("b"), maxLine)...)); r.Rest() != "" {
		t.Error("a line above the bound was kept")
	}
}

func TestAnObjectOverSeveralLines(t *testing.T) {
	r := New("gemini")
	for _, line := range []string{"noise", "{", `  "session_id": "s",`, `  "error": {`, `    "message": "{}",`, `    "code": 429`, "  }", "}", "more noise"} {
		r.Feed([]byte(line))
	}
	if e := r.Run().Event(); e == nil || !e.Seen || e.Status != 429 || r.Run().Session != "s" {
		t.Errorf("event %+v; want status 429 of session s", e)
	}
	open := New("gemini")
	open.Feed([]byte("{"))
	open.Feed([]byte("never closed"))
	if open.Rest() != "{\nnever closed" || open.Run().Event() != nil {
		t.Errorf("rest %q; want what was taken for an object", open.Rest())
	}
}

func FuzzReader(f *testing.F) {
	for _, cli := range []string{"codex", "claude", "opencode", "gemini", "qwen", "pi", "cn", "cline", "copilot", "any"} {
		files, _ := filepath.Glob("testdata/runs/" + cli + "*")
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(cli, data)
		}
		f.Add(cli, []byte("{\n\"error\": {\"code\": 429}\n}\n[1,null,{}]\ndata: {\"type\":\"result\"}"))
	}
	f.Fuzz(func(t *testing.T, cli string, output []byte) {
		r := New(cli)
		for line := range bytes.Lines(output) {
			r.Feed(line)
		}
		run := r.Run()
		run.Settle()
		for _, n := range []int64{run.Usage.Input, run.Usage.Output, run.Usage.CacheRead, run.Usage.CacheWrite, int64(run.Cost), int64(run.ToolCalls)} {
			if n < 0 {
				t.Errorf("a count is negative: %+v", run)
			}
		}
		if len(run.Message) > maxMessage {
			t.Errorf("message of %d bytes", len(run.Message))
		}
	})
}
