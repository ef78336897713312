package event

import "looprun.dev/looprun/internal/recovery"

// gemini: result is the last word; an error event before it has the words when
// the result has none. With -o json there is one object: the answer on stdout,
// or the error on stderr.

// geminiExits are the exit codes that gemini and its relatives give a meaning.
var geminiExits = map[int]recovery.Category{
	41: recovery.Auth,
	44: recovery.ToolUnavailable, // no sandbox
	52: recovery.ToolUnavailable, // broken settings
	53: recovery.TurnLimit,
	55: recovery.PermissionDenied, // untrusted folder
}

func geminiInit(r *Run, o object) { r.Session = o.text("session_id") }

func geminiMessage(r *Run, o object) {
	if o.text("role") != "assistant" {
		return
	}
	if o.truth("delta") {
		r.sayOn(o.text("content"))
		return
	}
	r.say(o.text("content"))
}

func geminiTool(r *Run, o object) { r.called(o.text("tool_id"), o.text("tool_name")) }

func geminiToolResult(r *Run, o object) {
	failed := o.text("status") == "error"
	r.returned(r.tools[o.text("tool_id")], failed, o.at("error").text("message"))
}

func geminiError(r *Run, o object) {
	if o.text("severity") != "warning" {
		r.suspect(said(o.text("message")))
	}
}

func geminiResult(r *Run, o object) {
	if stats := o.at("stats"); stats != nil {
		cached := stats.count("cached")
		r.use(Usage{
			Input:  max(stats.count("input_tokens")-cached, 0),
			Output: stats.count("output_tokens"), CacheRead: cached,
		})
		r.ToolCalls = max(r.ToolCalls, int(min(stats.count("tool_calls"), maxTools)))
	}
	switch {
	case o.has("error"):
		r.bad("", codexCause(o["error"]))
	case o.text("status") != "success":
		r.bad("", r.hint)
	default:
		r.good("")
	}
}

// geminiObject reads the one object of -o json.
func geminiObject(r *Run, o object) {
	if id := o.text("session_id"); id != "" {
		r.Session = id
	}
	switch {
	case o.has("error"):
		r.bad("", causeOf(o["error"]))
	case o.has("response"):
		geminiModels(r, o.at("stats"))
		r.say(o.text("response"))
		r.good("")
	}
}

func geminiModels(r *Run, stats object) {
	models := stats.at("models")
	for name := range models {
		tokens := models.at(name).at("tokens")
		cached := tokens.count("cached")
		r.useMore(Usage{
			Input:  max(tokens.count("prompt")-cached, 0),
			Output: tokens.count("candidates") + tokens.count("thoughts"), CacheRead: cached,
		})
	}
	r.ToolCalls = int(min(stats.at("tools").count("totalCalls"), maxTools))
}
