package event

import "looprun.dev/looprun/internal/recovery"

// pi: the run is over at agent_end, unless a retry follows; its last message has
// the reason. agent_end repeats the whole conversation, so what is needed is
// taken from the messages as they come, and from agent_end alone where they are
// missing.

func piMessage(r *Run, o object) {
	message := o.at("message")
	if message.text("role") != "assistant" {
		return
	}
	usage := message.at("usage")
	r.useMore(Usage{
		Input: usage.count("input"), Output: usage.count("output"),
		CacheRead: usage.count("cacheRead"), CacheWrite: usage.count("cacheWrite"),
	})
	r.payMore(usage.at("cost").dollars("total"))
	piLast(r, message)
}

// piLast keeps what the last message says of how the run ends.
func piLast(r *Run, message object) {
	r.say(words(message["content"]))
	r.last = message
}

func piToolEnd(r *Run, o object) {
	r.returned(o.text("toolName"), o.truth("isError"), words(o.at("result")["content"]))
}

func piEnd(r *Run, o object) {
	messages := o.objects("messages")
	for i := len(messages) - 1; i >= 0 && r.last == nil; i-- {
		if messages[i].text("role") == "assistant" {
			piLast(r, messages[i])
		}
	}
	last := r.last
	r.last = nil
	switch reason := last.text("stopReason"); reason {
	case "error", "aborted":
		if reason == "error" {
			reason = ""
		}
		r.bad(reason, said(last.text("errorMessage")))
	default:
		r.good(reason)
	}
}

func piRetry(r *Run, _ object) {
	r.InnerRetries++
	r.goesOn()
}

func piRetried(r *Run, o object) {
	if success, given := o["success"].(bool); given && !success {
		r.bad("", recovery.Cause{Text: o.text("finalError")})
	}
}
