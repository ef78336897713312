package event

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/recovery"
)

// codex: only turn.completed and turn.failed are the last word. A top-level
// error tells of one attempt, an item of type error of a warning.

func codexThread(r *Run, o object) { r.Session = o.text("thread_id") }

func codexItem(r *Run, o object) {
	item := o.at("item")
	switch item.text("type") {
	case "agent_message":
		r.say(item.text("text"))
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		r.ToolCalls++
		codexTool(r, item)
	}
}

// helpers are the programs with which codex starts its sandbox. When one cannot
// start, its word stands where every command's output should be.
var helpers = []string{"bwrap", "bubblewrap", "sandbox-exec", "landlock", "codex-linux-sandbox", "error running landlock", "error running seatbelt"}

func sandboxFault(output string) bool {
	return slices.ContainsFunc(helpers, func(name string) bool {
		rest, ok := strings.CutPrefix(strings.TrimSpace(output), name)
		return ok && strings.HasPrefix(rest, ":")
	})
}

func codexTool(r *Run, item object) {
	failed := item.text("status") == "failed" || item.text("status") == "declined"
	output := item.text("aggregated_output")
	if item.text("type") == "command_execution" && !sandboxFault(output) {
		r.returned("command_execution", failed, "")
		return
	}
	r.returned("", failed, strings.TrimSpace(output+"\n"+item.at("error").text("message")))
}

func codexCompleted(r *Run, o object) {
	if usage := o.at("usage"); usage != nil {
		cached, written := usage.count("cached_input_tokens"), usage.count("cache_write_input_tokens")
		r.use(Usage{
			Input:  max(usage.count("input_tokens")-cached-written, 0),
			Output: usage.count("output_tokens"), CacheRead: cached, CacheWrite: written,
		})
	}
	r.good("")
}

func codexFailed(r *Run, o object) { r.bad("", codexCause(o["error"])) }

// codexCause keeps a message as words: a body that codex quotes in it is not a
// value that codex itself gives.
func codexCause(v any) recovery.Cause {
	if fault, ok := v.(map[string]any); ok {
		if message := object(fault).text("message"); message != "" {
			delete(fault, "message")
			c := causeOf(fault)
			c.Text = strings.TrimSpace(message + "\n" + c.Text)
			return c
		}
	}
	return causeOf(v)
}

func codexError(r *Run, o object) {
	message := o.text("message")
	if strings.HasPrefix(message, "Reconnecting") {
		r.InnerRetries++
	}
	r.suspect(said(message))
}
