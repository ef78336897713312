package event

// cn prints one object: the answer on stdout, or the error on stderr.
func cnObject(r *Run, o object) {
	switch {
	case o.text("status") == "error":
		r.bad("", said(o.text("message")))
	case o.has("response"):
		r.say(o.text("response"))
		r.good("")
	}
}
