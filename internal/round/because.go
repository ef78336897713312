package round

// Because says in a sentence what a rule of decide stands for; its name where
// it has none.
func Because(rule string) string {
	if text, ok := because[rule]; ok {
		return text
	}
	return rule
}

var because = map[string]string{
	"ambient":      "what it works with was at fault, not the task: it costs the task nothing",
	"breaker":      "the target is held, and there is no other",
	"budgets":      "a limit of the task is used up",
	"cancel":       "a person cancelled it",
	"chain":        "the chain of this failure had a step left",
	"deadline":     "the wait that was asked for would end after the deadline",
	"effects":      "of an operation outside something is unknown, missing or forbids to go on",
	"guard":        "something was touched that no task may touch",
	"hidden":       "every visible check passed, and a hidden one failed",
	"input":        "the generator asks or was refused something: another start would meet the same",
	"land":         "it passed, but could not be handed over",
	"new_evidence": "another round would be told nothing new",
	"rounds":       "it would take another round than it has",
	"same_failure": "the same failure came as often as is allowed, and no step was left that had not met it",
	"success":      "every check passed on exactly this commit, within the boundary",
	"used_up":      "every step of the chain of this failure was used",
}
