package event

// A program that is not known may print the events of a CLI that it started.

func anyError(r *Run, o object) {
	if o.has("error") {
		r.bad("", causeOf(o["error"]))
		return
	}
	r.suspect(said(o.text("message")))
}

func anyResult(r *Run, o object) {
	switch {
	case o.has("is_error"), o.has("subtype"):
		qwenResult(r, o)
	case o.has("status"):
		geminiResult(r, o)
	}
}

func anyObject(r *Run, o object) {
	switch {
	case o.has("error"):
		r.bad("", causeOf(o["error"]))
	case o.text("status") == "error" && o.has("message"):
		cnObject(r, o)
	}
}
