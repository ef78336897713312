package recovery

// ContinueText is what a session is told whose output was cut, or that ran out
// of time. The list of what is done already follows it.
const ContinueText = "Output limit hit. Continue directly from where you stopped. Do not restart, repeat or summarize."

// SummaryHeading stands above a summary of a session that is not there any more.
const SummaryHeading = "This session was compacted. Continue from this summary:"

// ShorterText asks for less after a request that was too large.
const ShorterText = "The last request was too large for the model. What you are given here was cut. Read only the parts of files that you need, and answer briefly."

// ReportExample is a report that is valid.
const ReportExample = `{"status": "candidate_ready", "summary": "what you changed", "approach": "how"}`

// reminders say what was wrong with the last answer and how the next one must
// be, by category.
var reminders = map[Category]string{
	JSONError: "Your last answer could not be read as JSON. Write exactly one JSON object where JSON is asked for, " +
		"without text or code fences around it. A valid report is:\n" + ReportExample,
	EditError: "Your last edit or tool call failed to the end. Read the file again, then quote exactly what stands in it, " +
		"with enough lines around it to be found once. Call only tools that you are offered, with complete arguments.",
	EmptyResponse:    "Your last answer was empty: no text, no tool call, no changed file. Do the task now, by changing files.",
	ToolPair:         "A tool call of the last session had no result. Start afresh, and wait for each call's result before the next.",
	OutputTruncated:  "Your last answer was cut off because it was too long. Work in smaller steps: change one file at a time and say little.",
	ContextWindow:    ShorterText,
	TurnLimit:        "You used up all turns before the task was done. Go straight to the changes that are still missing.",
	Timeout:          "You ran out of time. Go straight to the changes that are still missing, and start nothing that runs for long.",
	Stalled:          "You were stopped because nothing happened for a long time. Start no command that waits for input or never ends.",
	PermissionDenied: "You were refused a tool. Do the task with those that you are allowed.",
}

// Reminder puts a fault of the generator into words for it. detail is the
// message that it was given, or what is wrong with its report by path, where
// there was one.
func Reminder(c Category, detail string) string {
	text, ok := reminders[c]
	if !ok {
		text = "Your last try failed (" + string(c) + "). Do the task again and avoid what made it fail."
	}
	if detail == "" {
		return text
	}
	return text + "\n\nThe message was: " + detail
}
