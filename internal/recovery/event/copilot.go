package event

// copilot: session.error has the words, result the exit code.
func copilotMessage(r *Run, o object) {
	data := o.at("data")
	r.say(data.text("content"))
	for _, call := range data.objects("toolRequests") {
		r.called(call.text("toolCallId"), call.text("name"))
	}
}

func copilotToolEnd(r *Run, o object) {
	data := o.at("data")
	success, given := data["success"].(bool)
	r.returned(r.tools[data.text("toolCallId")], given && !success, data.at("error").text("message"))
}

func copilotResult(r *Run, o object) {
	if id := o.text("sessionId"); id != "" {
		r.Session = id
	}
	if code, given := o["exitCode"].(float64); given && code != 0 || !given && r.hinted {
		r.bad("", r.hint)
		return
	}
	r.good("")
}
