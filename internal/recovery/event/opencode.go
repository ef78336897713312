package event

import "strings"

// opencode has no event for a run that went well: it is over after the step that
// finished with "stop". An error event is the last word unless a step follows.

func opencodeText(r *Run, o object) {
	r.Session = o.text("sessionID")
	r.say(o.at("part").text("text"))
}

// opencodeTool: a call that the CLI could not make sense of is handed to a tool
// named invalid, which never fails.
func opencodeTool(r *Run, o object) {
	part := o.at("part")
	name, state := part.text("tool"), part.at("state")
	r.called("", name)
	switch {
	case name == "invalid":
		r.returned(name, true, state.text("output"))
	case state.text("status") == "error":
		r.returned(name, true, words(state["error"]))
	default:
		r.returned(name, false, "")
	}
}

func opencodeFinish(r *Run, o object) {
	part := o.at("part")
	if id := o.text("sessionID"); id != "" {
		r.Session = id
	}
	tokens := part.at("tokens")
	r.useMore(Usage{
		Input: tokens.count("input"), Output: tokens.count("output") + tokens.count("reasoning"),
		CacheRead: tokens.at("cache").count("read"), CacheWrite: tokens.at("cache").count("write"),
	})
	r.payMore(part.dollars("cost"))
	switch reason := part.text("reason"); strings.ReplaceAll(reason, "_", "-") {
	case "stop", "end-turn":
		r.good("")
	case "tool-calls", "unknown", "":
	default:
		r.bad(reason, said(""))
	}
}

func opencodeError(r *Run, o object) {
	if id := o.text("sessionID"); id != "" {
		r.Session = id
	}
	r.bad("", causeOf(o["error"]))
}
