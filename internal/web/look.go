package web

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A look is one request's view of the records. It may be of none: looprun may
// not have run yet.
type look struct {
	*record.Reader
	*Server
	at int // the version of the pages before anything was read
}

func (s *Server) look() (look, error) {
	at := s.live.now()
	r, err := record.NewReader(s.Loop)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return look{}, err
	}
	return look{r, s, at}, nil
}

func (l look) close() {
	if l.Reader != nil {
		_ = l.Reader.Close()
	}
}

// A standing is whether looprun is at work.
type standing struct {
	Running bool
	PID     int
	Since   time.Time
	Paused  bool
	Pause   record.Pause
}

func (s *Server) standing() standing {
	l, err := s.look()
	if err != nil || l.Reader == nil {
		return standing{}
	}
	defer l.close()
	var st standing
	if owner, held, err := l.Owner(); err == nil && held {
		st.Running, st.PID, st.Since = true, owner.PID, owner.Started
	}
	if p, paused, err := l.PausedAt(s.Now()); err == nil && paused {
		st.Paused, st.Pause = true, p
	}
	return st
}

// An entry is a task in a list.
type entry struct {
	placed
	State   state
	Title   string
	Round   int
	Tries   int
	Reason  task.Reason
	Advice  task.Advice
	Request string
	Cost    *unit.Money
	Due     *time.Time
	Faults  int
	Branch  string
	Next    string // the task that goes on where this one ended; "" if there is none
}

// Href is the address of the task's page.
func (e entry) Href() string {
	if e.Quarantined {
		return "/quarantine/" + url.PathEscape(e.Name)
	}
	return "/tasks/" + url.PathEscape(e.ID)
}

// entry reads what a list shows of a file. Of a finished task that is its
// result, never its journal.
func (l look) entry(p placed) entry {
	e := entry{placed: p, State: stageState(p.Stage)}
	switch {
	case p.Quarantined:
		e.State = quarantined
	case p.Stage == task.Inbox:
		l.waiting(&e)
	case l.Reader == nil:
	case p.Stage == task.Processing:
		l.active(&e)
	default:
		l.finished(&e)
	}
	return e
}

func (l look) finished(e *entry) {
	r, err := l.Result(e.ID)
	if err != nil {
		return
	}
	e.Title, e.Round, e.Tries, e.Reason, e.Advice, e.Request = r.Title, r.Round, r.Tries, r.Reason, r.Advice, r.Request
	e.Cost, e.Branch = &r.Spent.Cost, r.Branch
	if e.Stage != task.Done {
		e.Next = l.next(e.ID)
	}
}

// next is the task that follows up another: the one of a following number that
// names it among its refs. Any other may have such an id by chance.
func (l look) next(id string) string {
	root, from := id, 2
	if base, number, ok := cutNumber(id); ok && l.follows(id, base) {
		root, from = base, number+1
	}
	for n := from; ; n++ {
		later := root + "-" + strconv.Itoa(n)
		p, found, err := l.index.find(later)
		if err != nil || !found {
			return ""
		}
		if o, ok := l.offered(p); ok && slices.Contains(o.Refs, id) {
			return later
		}
	}
}

// follows reports that a task names another among its refs.
func (l look) follows(id, other string) bool {
	p, found, err := l.index.find(id)
	if err != nil || !found {
		return false
	}
	o, ok := l.offered(p)
	return ok && slices.Contains(o.Refs, other)
}

// cutNumber takes the number of a follow-up off its id.
func cutNumber(id string) (base string, number int, ok bool) {
	at := strings.LastIndexByte(id, '-')
	if at < 1 {
		return id, 0, false
	}
	number, err := strconv.Atoi(id[at+1:])
	return id[:at], number, err == nil && number >= 2
}

func (l look) active(e *entry) {
	if t, ok := l.offered(e.placed); ok {
		e.Title = t.Title
	}
	s, err := l.State(e.ID)
	if err != nil {
		return
	}
	e.State, e.Round, e.Tries, e.Reason, e.Due, e.Cost = phaseState(s.Phase), s.Round, s.Tries, s.Reason, s.NotBefore, &s.Spent.Cost
}

func (l look) waiting(e *entry) {
	t, ok := l.offered(e.placed)
	if !ok {
		return
	}
	e.Title = t.Title
	if t.NotBefore.After(l.Now()) {
		e.Due = &t.NotBefore
	}
}

// An offer is what the file of a task says of it, as far as it can be read.
type offer struct {
	Title     string    `json:"title"`
	Goal      string    `json:"goal"`
	Verify    []string  `json:"verify"`
	After     []string  `json:"after"`
	Refs      []string  `json:"refs"`
	Priority  int       `json:"priority"`
	NotBefore time.Time `json:"not_before"`
}

func (l look) offered(p placed) (offer, bool) {
	data, err := l.desk.Read(p.Stage, p.Name)
	if err != nil {
		return offer{}, false
	}
	var o offer
	return o, json.Unmarshal(data, &o) == nil
}
