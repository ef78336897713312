package event

import "looprun.dev/looprun/internal/recovery"

// cline: run_result is the last word; the class of its error stands in the event
// before it.
func clineEvent(r *Run, o object) {
	e := o.at("event")
	switch {
	case e.text("type") == "error":
		r.suspect(recovery.Cause{Codes: codes(e.text("errorClass"), e.at("error").text("name")), Text: e.at("error").text("message")})
	case e.text("contentType") != "tool":
	case e.text("type") == "content_start":
		r.called(e.text("toolCallId"), e.text("toolName"))
	case e.text("type") == "content_end":
		success, given := e.at("output")["success"].(bool)
		failed := given && !success || e.has("error")
		r.returned(e.text("toolName"), failed, words(e.at("output")["error"])+words(e["error"]))
	}
}

func clineResult(r *Run, o object) {
	usage := o.at("usage")
	r.use(Usage{
		Input:  max(usage.count("inputTokens")-usage.count("cacheReadTokens")-usage.count("cacheWriteTokens"), 0),
		Output: usage.count("outputTokens"), CacheRead: usage.count("cacheReadTokens"), CacheWrite: usage.count("cacheWriteTokens"),
	})
	r.pay(usage.dollars("totalCost"))
	text := o.text("text")
	switch reason := o.text("finishReason"); reason {
	case "completed":
		r.say(text)
		r.good("")
	case "error":
		r.bad("", recovery.Cause{Codes: r.hint.Codes, Text: text})
	default:
		r.bad(reason, said(text))
	}
}

// codes are the names that say something.
func codes(names ...string) []string {
	var all []string
	for _, name := range names {
		if name != "" && name != "unknown" && name != "Error" {
			all = append(all, name)
		}
	}
	return all
}
