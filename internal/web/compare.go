package web

import (
	"fmt"
	"net/http"
	"strconv"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// A comparison shows two rounds side by side, by what of them was hashed.
type comparison struct {
	ID     string
	Left   side
	Right  side
	Failed []int // the rounds that there are to compare
	signature.Explanation
}

// A side is one of the two rounds: what it did beside how it failed.
type side struct {
	*round.Round
	Href    string    // of its diff
	Try     round.Try // the last one
	Changed []round.Change
	Lines   int
	Outputs []string // the files that its failed checks wrote
}

func newSide(id string, r *round.Round) side {
	s := side{Round: r, Href: fmt.Sprintf("/tasks/%s/rounds/%d/diff", id, r.N)}
	if n := len(r.Tries); n > 0 {
		s.Try = r.Tries[n-1].Try
		s.Changed, s.Lines = s.Try.Candidate.Changed, s.Try.Candidate.Lines
	}
	for _, c := range r.Evidence.Checks {
		for _, f := range []round.File{c.Stdout, c.Stderr} {
			if r.Judged && !c.Passed && f.Bytes > 0 && f.Path != "" {
				s.Outputs = append(s.Outputs, f.Path)
			}
		}
	}
	return s
}

// compare is the page about two rounds: those that are named, else the last two
// that failed.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	defer l.close()
	id := r.PathValue("id")
	h, _, err := l.history(id)
	if err != nil {
		return err
	}
	c := comparison{ID: id}
	rounds := map[int]*round.Round{}
	for _, r := range h.State.Rounds {
		if r.Decision.Signature.Hash != "" {
			rounds[r.N] = r
			c.Failed = append(c.Failed, r.N)
		}
	}
	if len(c.Failed) < 2 {
		return &fault{http.StatusNotFound, id + " has no two rounds that failed"}
	}
	n := len(c.Failed)
	left, ok1 := rounds[number(r, "from", c.Failed[n-2])]
	right, ok2 := rounds[number(r, "to", c.Failed[n-1])]
	if !ok1 || !ok2 {
		return &fault{http.StatusNotFound, "one of the rounds did not fail, or is not there"}
	}
	c.Left, c.Right = newSide(id, left), newSide(id, right)
	c.Explanation = signature.Explain(c.Left.Decision.Signature, c.Right.Decision.Signature)
	title := fmt.Sprintf("Rounds %d and %d of %s", c.Left.N, c.Right.N, id)
	return s.show(w, r, http.StatusOK, "compare", view{Title: title, Here: "tasks", Body: c})
}

// number is a parameter of the address, or what holds without it.
func number(r *http.Request, name string, otherwise int) int {
	text := r.FormValue(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
