package task

// InWords is the advice as a sentence; one that is not on the list is its own
// word.
func (a Advice) InWords() string {
	if text, ok := adviceWords[a]; ok {
		return text
	}
	return string(a)
}

var adviceWords = map[Advice]string{
	RaiseLimit:     "It still made progress: try again with more rounds or money.",
	ChangeTask:     "The task as it stands did not get there: say what is missing, or change it.",
	FixCheck:       "The check itself cannot be trusted: mend it, then try again.",
	FixEnvironment: "Something around the task is broken: mend it, then try again.",
	AnswerIt:       "It asks: answer it.",
	TryLater:       "It is not at fault: it goes on by itself later.",
	CleanUp:        "Something was left behind: clean it up, then try again.",
	DoNotRetry:     "Trying again would do harm or nothing.",
}
