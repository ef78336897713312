package web

import (
	"net/http"
	"strconv"

	"looprun.dev/looprun/internal/round"
)

// A diffPage is what one round changed.
type diffPage struct {
	ID      string
	N       int
	Rounds  []int // that changed something
	Last    round.Candidate
	Files   []changedFile
	Left    int // files that are not shown
	Missing string
}

// candidate is what the last try of a round changed.
func candidate(s round.State, n int) (round.Candidate, bool) {
	for _, r := range s.Rounds {
		if tries := len(r.Tries); r.N == n && tries > 0 {
			return r.Tries[tries-1].Try.Candidate, true
		}
	}
	return round.Candidate{}, false
}

func (s *Server) diff(w http.ResponseWriter, r *http.Request) error {
	p, data, err := s.patchOf(r)
	if err != nil {
		return err
	}
	p.Files, p.Left = parsePatch(data)
	title := "Diff of round " + strconv.Itoa(p.N) + " of " + p.ID
	return s.show(w, r, http.StatusOK, "diff", view{Title: title, Here: "tasks", Body: p})
}

// patch sends the patch itself, as git apply takes it.
func (s *Server) patch(w http.ResponseWriter, r *http.Request) error {
	p, data, err := s.patchOf(r)
	if err != nil {
		return err
	}
	if p.Missing != "" {
		return &fault{http.StatusNotFound, p.Missing}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+p.ID+"-round-"+strconv.Itoa(p.N)+`.patch"`)
	_, _ = w.Write(data)
	return nil
}

// patchOf reads the patch of the round that a request names.
func (s *Server) patchOf(r *http.Request) (diffPage, []byte, error) {
	l, err := s.look()
	if err != nil {
		return diffPage{}, nil, err
	}
	defer l.close()
	p := diffPage{ID: r.PathValue("id")}
	h, _, err := l.history(p.ID)
	if err != nil {
		return p, nil, err
	}
	var ok bool
	p.N, _ = strconv.Atoi(r.PathValue("n"))
	if p.Last, ok = candidate(h.State, p.N); !ok {
		return p, nil, &fault{http.StatusNotFound, p.ID + " has no round " + strconv.Quote(r.PathValue("n"))}
	}
	for _, r := range h.State.Rounds {
		if len(r.Tries) > 0 {
			p.Rounds = append(p.Rounds, r.N)
		}
	}
	if p.Last.Patch.Path == "" {
		if p.Missing = p.Last.Patch.Missing; p.Missing == "" {
			p.Missing = "nothing was changed in this round"
		}
		return p, nil, nil
	}
	f, err := s.openFile(p.ID, p.Last.Patch.Path)
	if err != nil {
		p.Missing = "the patch is no longer there: the candidate is commit " + p.Last.Commit
		return p, nil, nil
	}
	defer f.Close()
	data, err := readUpTo(f, maxPatch)
	return p, data, err
}
