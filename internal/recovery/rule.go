package recovery

import (
	"slices"
	"strings"
)

// A rule is one built-in pattern: an error that bears one of its codes, or
// whose words it matches, is of its category.
type rule struct {
	id       string
	category Category
	codes    []string // in lower case without separators, sorted
	words    expression
	not      expression // what means something else
	unless   func(clue) bool
	// tame rules may be looked for in the words of a run that says it went
	// well: they tell why a run that changed nothing could not.
	tame bool
}

// rules is in order of precedence. What is told apart by the order: a full disk
// speaks of a quota; an unpaired tool call and a full context are refused as
// invalid requests; a cut output names tokens as a full context does; a used-up
// quota comes as 429, as a rate limit does.
var rules = slices.Concat(requestRules, limitRules, targetRules, workRules)

// words is an expression of any of the alternatives, in letters of any case; ^
// and $ are the ends of a line.
func words(alternatives ...string) expression {
	return lazily(`(?im)` + strings.Join(alternatives, "|"))
}
