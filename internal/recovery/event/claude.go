package event

import (
	"strings"

	"looprun.dev/looprun/internal/recovery"
)

// claude: the result event is the last word, but its subtype can say success
// over an API error. is_error and api_error_status are the truth; where a CLI of
// the family sets neither, a result that the model was never asked for tells.

func claudeSystem(r *Run, o object) {
	if id := o.text("session_id"); id != "" {
		r.Session = id
	}
	if o.text("subtype") == "api_retry" {
		r.InnerRetries++
	}
}

func claudeAssistant(r *Run, o object) {
	if o.text("parent_tool_use_id") != "" {
		return // a sub-agent's
	}
	message := o.at("message")
	for _, block := range message.objects("content") {
		switch block.text("type") {
		case "text":
			r.say(block.text("text"))
		case "tool_use":
			r.called(block.text("id"), block.text("name"))
		}
	}
	if code := o.text("error"); code != "" {
		r.suspect(recovery.Cause{Codes: []string{code}, Text: words(message["content"])})
	}
}

func claudeUser(r *Run, o object) {
	for _, block := range o.at("message").objects("content") {
		if block.text("type") != "tool_result" {
			continue
		}
		r.returned(r.tools[block.text("tool_use_id")], block.truth("is_error"), claudeToolWords(r, block))
	}
}

// claudeToolWords are a failed tool's words. Without the call before it, only
// what the CLI marks as its own is known not to be a command's output.
func claudeToolWords(r *Run, block object) string {
	text := words(block["content"])
	if _, known := r.tools[block.text("tool_use_id")]; known {
		return text
	}
	inner, ok := strings.CutPrefix(text, "<tool_use_error>")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(inner, "</tool_use_error>")
}

// claudeLimit: a rejected window says when it ends.
func claudeLimit(r *Run, o object) {
	info := o.at("rate_limit_info")
	if info.text("status") == "rejected" {
		r.limit = causeOf(map[string]any{"resetsAt": info["resetsAt"]}).ResetAt
	}
}

func claudeResult(r *Run, o object) {
	claudeAccount(r, o)
	text := o.text("result")
	finish := o.text("stop_reason")
	if subtype := o.text("subtype"); strings.HasPrefix(subtype, "error_max_") {
		finish = subtype
	}
	if !claudeFailed(o, text) {
		if text != "" || r.Message == "" {
			r.say(text)
		}
		r.good(finish)
		return
	}
	cause := recovery.Cause{Status: int(o.count("api_error_status")), Text: text, ResetAt: r.limit}
	for _, e := range append(o.list("errors"), o["error"]) {
		more := causeOf(e)
		cause.Codes = append(cause.Codes, more.Codes...)
		cause.Text = strings.TrimSpace(cause.Text + "\n" + more.Text)
	}
	if code := o.text("api_error"); code != "" {
		cause.Codes = append(cause.Codes, code)
	}
	cause.Codes = append(cause.Codes, r.hint.Codes...)
	r.bad(finish, cause)
}

func claudeAccount(r *Run, o object) {
	if id := o.text("session_id"); id != "" {
		r.Session = id
	}
	if usage := o.at("usage"); usage != nil && (usage.has("input_tokens") || usage.has("output_tokens")) {
		r.use(Usage{
			Input: usage.count("input_tokens"), Output: usage.count("output_tokens"),
			CacheRead: usage.count("cache_read_input_tokens"), CacheWrite: usage.count("cache_creation_input_tokens"),
		})
	}
	amount, known := o.dollars("total_cost_usd")
	if !known {
		amount, known = o.dollars("cost_usd")
	}
	r.pay(amount, known)
	for _, d := range o.objects("permission_denials") {
		if name := d.text("tool_name"); len(r.event.Denied) < 20 {
			r.event.Denied = append(r.event.Denied, name)
		}
	}
}

// apiError reports a result that the CLI wrote in the model's place: an error in
// brackets that is the whole first line, or the end of an answer that was cut.
func apiError(result string) bool {
	const mark = "[API Error: "
	result = trim(result)
	first, _, _ := strings.Cut(result, "\n")
	last := result[strings.LastIndexByte(result, '\n')+1:]
	return strings.HasPrefix(first, mark) && strings.HasSuffix(trim(first), "]") ||
		strings.Contains(last, mark) && strings.HasSuffix(last, "]")
}

func claudeFailed(o object, text string) bool {
	told, given := o["is_error"].(bool)
	return told || o.count("api_error_status") >= 400 || o.has("error") || len(o.list("errors")) > 0 ||
		strings.HasPrefix(o.text("subtype"), "error") || apiError(text) ||
		unasked(o, text) || !given && strings.HasPrefix(text, "API Error")
}

// unasked reports a result that cost no token: no model wrote it, the CLI did.
func unasked(o object, text string) bool {
	usage := o.at("usage")
	if !usage.has("output_tokens") {
		cost, given := o.dollars("total_cost_usd")
		return given && cost == 0 && strings.HasPrefix(text, "API Error")
	}
	return text != "" && usage.count("output_tokens") == 0 && usage.count("input_tokens") == 0 &&
		usage.count("cache_read_input_tokens") == 0
}

// qwenResult: a claude result whose input includes what was cached, with API
// errors in the result's text alone.
func qwenResult(r *Run, o object) {
	claudeResult(r, o)
	if r.UsageKnown {
		r.Usage.Input = max(r.Usage.Input-r.Usage.CacheRead-r.Usage.CacheWrite, 0)
	}
}
