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
	ID          string
	Left, Right round.Round
	Failed      []int // the rounds that there are to compare
	signature.Explanation
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
	rounds := map[int]round.Round{}
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
	var left, right bool
	if c.Left, left = rounds[number(r, "from", c.Failed[n-2])]; !left {
		return &fault{http.StatusNotFound, "the first of the rounds did not fail, or is not there"}
	}
	if c.Right, right = rounds[number(r, "to", c.Failed[n-1])]; !right {
		return &fault{http.StatusNotFound, "the second of the rounds did not fail, or is not there"}
	}
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
