package loop

import (
	"slices"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

// A verdict is what the end of a try says of a target.
type verdict int

const (
	saysNothing verdict = iota
	worked
	blamed
	tripped // the decision tells, not the try
)

// answered are the categories of tries that the model itself brought to their
// end: whatever went wrong, it was there.
var answered = []recovery.Class{recovery.Capacity, recovery.Form, recovery.Input, recovery.Guard, recovery.Work}

// verdictOn is what a try of category c says of a target of a scope.
func verdictOn(scope string, c recovery.Category, classes recovery.Classes) verdict {
	switch mine := round.Scope(c, classes) == scope; {
	case c == "" || c == recovery.None:
		return worked
	case mine && classes.Trips(c):
		return tripped
	case mine && classes.FeedsBreaker(c):
		return blamed
	case slices.Contains(answered, classes.Of(c)), c == recovery.SessionLost, c == recovery.InvalidRequest:
		return worked
	}
	return beyond(scope, c)
}

// beyond tells of the parts of a way that a failure further along it shows to
// be sound: an overloaded model took the login, and the command that said so runs.
func beyond(scope string, c recovery.Category) verdict {
	at := slices.Index([]string{loopScope, commandScope, accountScope, modelScope}, scope)
	reached := -1
	switch c {
	case recovery.RateLimited, recovery.Overloaded, recovery.QuotaExhausted, recovery.ModelNotFound:
		reached = 2
	case recovery.Auth, recovery.Network, recovery.Timeout:
		reached = 1
	}
	if at >= 0 && at <= reached {
		return worked
	}
	return saysNothing
}
