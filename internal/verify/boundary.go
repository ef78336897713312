package verify

import (
	"cmp"
	"slices"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// maxErrors bounds the errors of one code, so that a candidate of a hundred
// thousand forbidden files does not fill a journal line.
const maxErrors = 100

// Boundary lists the ways in which a candidate leaves its boundary, sorted and
// distinct; none means that the checks may run. Only the candidate's own
// difference from its base counts, a renamed file as one deleted and one added.
// A limit of zero allows nothing.
func Boundary(b round.Boundary, builtin Builtin, c round.Candidate) []signature.BoundaryError {
	errs := slices.Clone(c.Refused)
	rules := NewRules(b, builtin)
	for _, ch := range c.Changed {
		errs = append(errs, pathErrors(rules, b, ch)...)
	}
	errs = append(errs, limitErrors(b, c)...)
	errs = append(errs, collisions(builtin.Base, c.Changed)...)
	return bounded(errs)
}

func pathErrors(rules Rules, b round.Boundary, ch round.Change) []signature.BoundaryError {
	var errs []signature.BoundaryError
	add := func(code string) { errs = append(errs, signature.BoundaryError{Code: code, Path: ch.Path}) }
	switch {
	case rules.Protected(ch.Path):
		add(ProtectedPath)
	case !rules.Allowed(ch.Path):
		add(PathNotAllowed)
	}
	if isSubmodule(ch.OldMode) || isSubmodule(ch.NewMode) {
		add(SubmoduleChanged)
	}
	if ch.Status != deleted && ch.Size > b.MaxBytes {
		add(TooLarge)
	}
	return errs
}

// deleted is the status of a path that the candidate no longer holds.
const deleted = "D"

// isSubmodule knows the mode under which git keeps a commit instead of a file.
func isSubmodule(mode string) bool { return mode == "160000" }

func limitErrors(b round.Boundary, c round.Candidate) []signature.BoundaryError {
	var lines int
	var bytes, largest int64
	for _, ch := range c.Changed {
		lines += ch.Added + ch.Deleted
		if ch.Status != deleted {
			bytes += ch.Size
			largest = max(largest, ch.Size)
		}
	}
	var errs []signature.BoundaryError
	if len(c.Changed) > b.MaxFiles {
		errs = append(errs, signature.BoundaryError{Code: TooManyFiles})
	}
	if max(lines, c.Lines) > b.MaxLines {
		errs = append(errs, signature.BoundaryError{Code: TooManyLines})
	}
	if bytes > b.MaxBytes && largest <= b.MaxBytes {
		errs = append(errs, signature.BoundaryError{Code: TooLarge})
	}
	return errs
}

// collisions finds added paths that are the same file as another one where
// case or Unicode form does not count. What the base holds twice by itself is
// none of the candidate's doing, and neither is a file that it renames.
func collisions(base []string, changed []round.Change) []signature.BoundaryError {
	gone := map[string]bool{}
	added := map[string][]string{} // by key
	for _, ch := range changed {
		switch ch.Status {
		case deleted:
			gone[ch.Path] = true
		case "A":
			added[fold(ch.Path)] = append(added[fold(ch.Path)], ch.Path)
		}
	}
	if len(added) == 0 {
		return nil
	}
	taken := map[string]bool{}
	take := func(p string) {
		if key := fold(p); !gone[p] && added[key] != nil && !slices.Contains(added[key], p) {
			taken[key] = true
		}
	}
	for _, p := range base {
		take(p)
	}
	for _, ch := range changed {
		take(ch.Path)
	}
	var errs []signature.BoundaryError
	for _, ch := range changed {
		if key := fold(ch.Path); ch.Status == "A" && (taken[key] || len(added[key]) > 1) {
			errs = append(errs, signature.BoundaryError{Code: CaseCollision, Path: ch.Path})
		}
	}
	return errs
}

// bounded sorts by code, then path, and drops what is said twice or past the
// bound of its code.
func bounded(errs []signature.BoundaryError) []signature.BoundaryError {
	slices.SortFunc(errs, func(a, b signature.BoundaryError) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Path, b.Path))
	})
	count := map[string]int{}
	return slices.DeleteFunc(slices.Compact(errs), func(e signature.BoundaryError) bool {
		count[e.Code]++
		return count[e.Code] > maxErrors
	})
}
