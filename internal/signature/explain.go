package signature

import (
	"encoding/json"
	"fmt"
	"strings"
)

// An Explanation says why two signatures are the same or not, side by side.
type Explanation struct {
	Same bool   `json:"same"`
	Why  string `json:"why"`
	Rows []Row  `json:"rows"`
}

// A Row is one part of what was hashed, on both sides. A side that has no such
// part is empty.
type Row struct {
	Where string `json:"where"`
	Left  string `json:"left"`
	Right string `json:"right"`
	Same  bool   `json:"same"`
}

// Explain compares two signatures by what was hashed. Rows holds every part of
// either, in the order in which it was hashed, equal ones too.
func Explain(left, right Signature) Explanation {
	e := Explanation{Same: left.Same(right)}
	if left.Input == "" || right.Input == "" {
		e.Why = "what was hashed is not recorded; only the hashes can be compared"
		e.row("signature", left.Hash, right.Hash)
		return e
	}
	var l, r hashed
	if err := json.Unmarshal([]byte(left.Input), &l); err != nil {
		e.Why = "the left input cannot be read: " + err.Error()
		return e
	}
	if err := json.Unmarshal([]byte(right.Input), &r); err != nil {
		e.Why = "the right input cannot be read: " + err.Error()
		return e
	}
	e.compare(l, r)
	e.Why = e.why(left, right)
	return e
}

// hashed is the canonical form, read back.
type hashed struct {
	V        int             `json:"v"`
	Masks    string          `json:"masks"`
	Boundary []BoundaryError `json:"boundary"`
	Checks   []struct {
		Argv     []string        `json:"argv"`
		Exit     json.RawMessage `json:"exit"`
		Failures []Failure       `json:"failures"`
		Dropped  int             `json:"dropped"`
	} `json:"checks"`
	Try *struct {
		Category string `json:"category"`
		Code     string `json:"code"`
		Text     string `json:"text"`
		Tree     string `json:"tree"`
	} `json:"try"`
}

func (e *Explanation) row(where, left, right string) {
	e.Rows = append(e.Rows, Row{Where: where, Left: left, Right: right, Same: left == right})
}

func (e *Explanation) compare(l, r hashed) {
	e.row("version", fmt.Sprint(l.V), fmt.Sprint(r.V))
	if l.Masks != "" || r.Masks != "" {
		e.row("masks", l.Masks, r.Masks)
	}
	e.tries(l, r)
	e.aligned("boundary", outside(l.Boundary), outside(r.Boundary))
	for i := range max(len(l.Checks), len(r.Checks)) {
		e.check(i, l, r)
	}
}

func (e *Explanation) tries(l, r hashed) {
	if l.Try == nil && r.Try == nil {
		return
	}
	side := func(h hashed) [4]string {
		if h.Try == nil {
			return [4]string{}
		}
		return [4]string{h.Try.Category, h.Try.Code, h.Try.Text, h.Try.Tree}
	}
	left, right := side(l), side(r)
	for i, name := range []string{"category", "code", "text", "tree"} {
		e.row(name, left[i], right[i])
	}
}

func (e *Explanation) check(i int, l, r hashed) {
	where := fmt.Sprintf("check %d", i+1)
	var argv, exit, dropped [2]string
	var failures [2][]Failure
	for side, h := range []hashed{l, r} {
		if i >= len(h.Checks) {
			continue
		}
		c := h.Checks[i]
		argv[side] = strings.Join(c.Argv, " ")
		exit[side] = strings.Trim(string(c.Exit), `"`)
		dropped[side] = fmt.Sprint(c.Dropped)
		failures[side] = c.Failures
	}
	e.row(where+" command", argv[0], argv[1])
	e.row(where+" exit", exit[0], exit[1])
	e.aligned(where+" failure", failures[0], failures[1])
	if dropped[0] != dropped[1] {
		e.row(where+" further failures", dropped[0], dropped[1])
	}
}

// aligned pairs two sorted lists of failures: equal ones first come together,
// then those of one test that fails in two ways.
func (e *Explanation) aligned(where string, left, right []Failure) {
	for len(left) > 0 || len(right) > 0 {
		switch {
		case len(right) == 0 || len(left) > 0 && Compare(left[0], right[0]) < 0 && left[0].ID != right[0].ID:
			e.row(where, told(left[0]), "")
			left = left[1:]
		case len(left) == 0 || left[0].ID != right[0].ID:
			e.row(where, "", told(right[0]))
			right = right[1:]
		default:
			left, right = e.oneTest(where, left, right)
		}
	}
}

// oneTest handles all failures of the test that stands first on both sides.
func (e *Explanation) oneTest(where string, left, right []Failure) (restLeft, restRight []Failure) {
	id := left[0].ID
	l, restLeft := ofTest(left, id)
	r, restRight := ofTest(right, id)
	var onlyLeft, onlyRight []Failure
	for len(l) > 0 && len(r) > 0 {
		switch c := Compare(l[0], r[0]); {
		case c == 0:
			e.row(where, told(l[0]), told(r[0]))
			l, r = l[1:], r[1:]
		case c < 0:
			onlyLeft, l = append(onlyLeft, l[0]), l[1:]
		default:
			onlyRight, r = append(onlyRight, r[0]), r[1:]
		}
	}
	onlyLeft, onlyRight = append(onlyLeft, l...), append(onlyRight, r...)
	for i := range max(len(onlyLeft), len(onlyRight)) {
		e.row(where, toldAt(onlyLeft, i), toldAt(onlyRight, i))
	}
	return restLeft, restRight
}

func ofTest(list []Failure, id string) (own, rest []Failure) {
	n := 0
	for n < len(list) && list[n].ID == id {
		n++
	}
	return list[:n], list[n:]
}

func toldAt(list []Failure, i int) string {
	if i >= len(list) {
		return ""
	}
	return told(list[i])
}

func told(f Failure) string {
	var parts []string
	for _, s := range []string{f.ID, f.Class, f.Detail} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

func outside(errs []BoundaryError) []Failure {
	list := make([]Failure, len(errs))
	for i, b := range errs {
		list[i] = Failure{ID: b.Path, Class: b.Code}
	}
	return Sorted(list)
}

// why puts the first thing that decides into words.
func (e *Explanation) why(left, right Signature) string {
	if e.Same {
		return "what was hashed is equal byte for byte"
	}
	if left.Version != right.Version {
		return "signatures of different versions are never the same"
	}
	if left.Hash == right.Hash {
		return "the hashes collide: what was hashed differs"
	}
	if left.Family != "" && left.Family == right.Family {
		return "the same tests and assertions with other numbers"
	}
	for _, r := range e.Rows {
		if !r.Same {
			return "first difference: " + r.Where
		}
	}
	return "what was hashed differs in form only"
}
