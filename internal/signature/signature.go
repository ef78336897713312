package signature

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Version is hashed into every signature and stands beside it. Any change of a
// mask, of an extractor or of the canonical form raises it: what was hashed
// under two versions is never the same failure, and a streak starts anew.
const Version = 1

// Of names the failure of a verification: its boundary errors and, for each
// check in order, the command, how it ended and what it reported. The order of
// failures and boundary errors, the numbers of tests and the path taken by the
// extractor have no influence.
func Of(ev Evidence) Signature {
	input := canonical(verification(ev, asIs))
	return Signature{
		Hash:    digest(input),
		Version: Version,
		Family:  digest(canonical(verification(ev, Numberless))),
		Input:   input,
	}
}

// OfTry names the failure of a try that ended by itself. The tree id of the
// candidate is part of it: the same error on the same tree is the same
// failure, a try that changed the tree is progress. The text is masked here,
// by the user's masks first.
func OfTry(category, code, text, tree string, user ...Masker) Signature {
	text = Mask(text, user...)
	input := canonical(try(category, code, text, tree, user))
	return Signature{
		Hash:    digest(input),
		Version: Version,
		Family:  digest(canonical(try(category, code, Numberless(text), tree, user))),
		Input:   input,
	}
}

// Same reports whether two signatures name one failure. It compares what was
// hashed where both have it, since a hash of 64 bits may collide.
func (s Signature) Same(t Signature) bool {
	if s.Version != t.Version || s.Hash != t.Hash || s.Hash == "" {
		return false
	}
	return s.Input == "" || t.Input == "" || s.Input == t.Input
}

func asIs(s string) string { return s }

// verification is the hashed form of evidence: maps, so that the encoder sorts
// the keys, and nothing in them but strings and integers.
func verification(ev Evidence, detail func(string) string) map[string]any {
	checks := make([]any, len(ev.Checks))
	for i, c := range ev.Checks {
		checks[i] = checked(c, detail)
	}
	m := map[string]any{"boundary": boundary(ev.BoundaryErrors), "checks": checks, "v": Version}
	if ev.Masks != "" {
		m["masks"] = ev.Masks
	}
	return m
}

func boundary(errs []BoundaryError) []any {
	sorted := slices.Clone(errs)
	slices.SortFunc(sorted, func(a, b BoundaryError) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Path, b.Path))
	})
	list := []any{}
	for _, e := range slices.Compact(sorted) {
		list = append(list, map[string]any{"code": e.Code, "path": e.Path})
	}
	return list
}

func checked(c Check, detail func(string) string) map[string]any {
	failures := make([]Failure, len(c.Failures))
	for i, f := range c.Failures {
		failures[i] = Failure{ID: f.ID, Class: f.Class, Detail: detail(f.Detail)}
	}
	list := []any{}
	for _, f := range Sorted(failures) {
		list = append(list, map[string]any{"class": f.Class, "detail": f.Detail, "id": f.ID})
	}
	m := map[string]any{"argv": slices.Concat([]string{}, c.Argv), "exit": ended(c), "failures": list}
	if c.Dropped > 0 {
		m["dropped"] = c.Dropped
	}
	return m
}

func ended(c Check) any {
	if c.Signal != "" {
		return "signal:" + c.Signal
	}
	return c.ExitCode
}

func try(category, code, text, tree string, user []Masker) map[string]any {
	m := map[string]any{
		"try": map[string]any{"category": category, "code": code, "text": text, "tree": tree},
		"v":   Version,
	}
	if sum := Sum(user); sum != "" {
		m["masks"] = sum
	}
	return m
}

// Sorted gives the distinct failures of list in their canonical order; list
// itself stays as it is.
func Sorted(list []Failure) []Failure {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, Compare)
	return slices.Compact(sorted)
}

// Compare orders failures by id, class and detail.
func Compare(a, b Failure) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Detail, b.Detail))
}

// canonical is JSON with sorted keys and without blanks or HTML escapes, as
// encoding/json writes it; golden bytes in the tests pin the form.
func canonical(v map[string]any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // maps, slices, strings and integers can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func digest(input string) string {
	sum := sha256.Sum256([]byte(input))
	return hex.EncodeToString(sum[:8])
}
