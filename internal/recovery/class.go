package recovery

import (
	"slices"
	"strings"
)

// members lists every category by its class. It is a list, not a map, so that
// whatever is printed of it has one order.
var members = []struct {
	class      Class
	categories []Category
}{
	{Transient, []Category{RateLimited, Overloaded, Network}},
	{Capacity, []Category{ContextWindow, OutputTruncated, TurnLimit}},
	{Form, []Category{JSONError, EmptyResponse, EditError, ToolPair}},
	{Work, []Category{VerificationFailed}},
	{Guard, []Category{BoundaryViolation, SecretDetected, Tampered}},
	{Process, []Category{Timeout, Stalled, Crashed, SessionLost, Interrupted}},
	{Input, []Category{NeedsInfo, PermissionDenied, Refused}},
	{Ambient, []Category{
		Auth, QuotaExhausted, ModelNotFound, ToolUnavailable, DiskFull, BaselineRed,
		CheckReadsOtherTree, CheckNotInBase, CheckEnvironment, GeneratorBroken,
	}},
	{Other, []Category{InvalidRequest, Unknown}},
}

// Categories lists every built-in category, class by class. None is not among
// them: it names the absence of a failure.
func Categories() []Category {
	var all []Category
	for _, m := range members {
		all = append(all, m.categories...)
	}
	return all
}

// Classes gives the class of categories that begin with "x-". The zero value
// knows the built-in ones alone.
type Classes map[Category]Class

// ClassesOf collects the classes that user patterns give to their x-
// categories. The first pattern that names one decides.
func ClassesOf(patterns []Pattern) Classes {
	classes := Classes{}
	for _, p := range patterns {
		if _, taken := classes[p.Category]; !taken && p.Category.custom() && p.Class != "" {
			classes[p.Category] = p.Class
		}
	}
	return classes
}

// Of is the class of a category, Other for one that nobody classified.
func (cs Classes) Of(c Category) Class {
	for _, m := range members {
		if slices.Contains(m.categories, c) {
			return m.class
		}
	}
	if class, ok := cs[c]; ok && c.custom() {
		return class
	}
	return Other
}

// Transparent reports whether a try that ended so leaves the count of equal
// failures as it was: nothing that the generator did is judged by it.
func (cs Classes) Transparent(c Category) bool {
	class := cs.Of(c)
	return class == Transient || class == Ambient || c == SessionLost || c == Interrupted
}

// CountsAsSame reports whether equal failures of this category in a row bring
// the task nearer to its same_failure_limit. Guard and input end or stop the
// task at once, so nothing is left to count.
func (cs Classes) CountsAsSame(c Category) bool {
	class := cs.Of(c)
	return c != None && class != Guard && class != Input && !cs.Transparent(c)
}

// FeedsBreaker reports whether the failure counts against its target.
func (cs Classes) FeedsBreaker(c Category) bool {
	return cs.Of(c) == Transient || c == Crashed || c == Stalled
}

// Trips reports whether one such failure opens the target's breaker at once.
func (cs Classes) Trips(c Category) bool { return cs.Of(c) == Ambient }

// Class is the class of a built-in category, Other for every other name. Use
// Classes where x- categories may occur.
func (c Category) Class() Class { return Classes(nil).Of(c) }

// Transparent is Classes.Transparent for built-in categories.
func (c Category) Transparent() bool { return Classes(nil).Transparent(c) }

// CountsAsSame is Classes.CountsAsSame for built-in categories.
func (c Category) CountsAsSame() bool { return Classes(nil).CountsAsSame(c) }

// FeedsBreaker is Classes.FeedsBreaker for built-in categories.
func (c Category) FeedsBreaker() bool { return Classes(nil).FeedsBreaker(c) }

// Trips is Classes.Trips for built-in categories.
func (c Category) Trips() bool { return Classes(nil).Trips(c) }

// KnownCategory reports whether c is a category: a built-in one, or a
// well-formed name that begins with "x-". None is no category of a failure.
func KnownCategory(c Category) bool {
	return slices.Contains(Categories(), c) || c.custom()
}

// KnownClass reports whether c is one of the classes.
func KnownClass(c Class) bool {
	return slices.ContainsFunc(members, func(m struct {
		class      Class
		categories []Category
	}) bool {
		return m.class == c
	})
}

func (c Category) custom() bool { return customName(string(c)) }

// customName reports whether s is a name of the user's own: "x-", then up to
// 62 letters, digits, hyphens and underscores, the first no hyphen.
func customName(s string) bool {
	rest, ok := strings.CutPrefix(s, "x-")
	if !ok || rest == "" || len(rest) > 62 || rest[0] == '-' || rest[0] == '_' {
		return false
	}
	return strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
