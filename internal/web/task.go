package web

import (
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A taskPage is all that is known of a task that was claimed.
type taskPage struct {
	ID     string
	Task   task.Task
	State  state
	Due    *time.Time
	View   record.StateView
	Fold   round.State
	Result *record.ResultView
	Since  *time.Time // when the step under way began
	Step   round.Kind // that step
	Bars   []bar
	Rounds []roundView // the last one first
	Lines  []lineView  // of the journal, the last ones
	Count  int         // of all lines
	Head   string
	Damage string // why the journal could not be read to its end
	Next   string // the task that follows it up
}

// Ended reports a task whose history is closed.
func (p taskPage) Ended() bool { return p.Fold.Next == round.End }

// Asks reports a task that a person has to answer.
func (p taskPage) Asks() bool { return p.Ended() && p.Fold.Decision.Kind == task.NeedsInput }

// Again reports a task that can be tried again.
func (p taskPage) Again() bool { return p.Ended() && p.Fold.Decision.Kind != task.Completed }

// A bar is how much of a budget is used up.
type bar struct {
	Name, Used, Of string
	Percent        int
}

func newBar(name, used, of string, part, whole int64) bar {
	b := bar{Name: name, Used: used, Of: of}
	if whole > 0 {
		b.Percent = int(min(100, 100*part/whole))
	}
	return b
}

func bars(v record.StateView) []bar {
	return []bar{
		newBar("rounds", count(v.Spent.Rounds), count(v.Limits.Rounds), int64(v.Spent.Rounds), int64(v.Limits.Rounds)),
		newBar("tries", count(v.Spent.Tries), count(v.Limits.Tries), int64(v.Spent.Tries), int64(v.Limits.Tries)),
		newBar("time", span(v.Spent.WallClock.Std()), span(v.Limits.WallClock.Std()), int64(v.Spent.WallClock), int64(v.Limits.WallClock)),
		newBar("tokens", tokens(v.Spent.Tokens.Tokens()), tokens(v.Limits.Tokens), v.Spent.Tokens.Tokens(), v.Limits.Tokens),
		newBar("cost", money(v.Spent.Cost), money(v.Limits.Cost), int64(v.Spent.Cost), int64(v.Limits.Cost)),
	}
}

// history is the journal of a task, as far as it can be read: what is wrong
// with the rest is returned as damage.
func (l look) history(id string) (h record.History, damage string, err error) {
	if code, _ := task.CheckID(id); code != "" || l.Reader == nil {
		return h, "", noTask(id)
	}
	h, err = l.Task(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h, "", noTask(id)
	case err != nil && len(h.Lines) > 0:
		return h, err.Error(), nil
	}
	return h, "", err
}

func (s *Server) task(w http.ResponseWriter, r *http.Request) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	defer l.close()
	id := r.PathValue("id")
	h, damage, err := l.history(id)
	if status(err) == http.StatusNotFound && err != nil {
		return s.unclaimed(w, r, l, id)
	}
	if err != nil {
		return err
	}
	p := l.page(id, h)
	p.Damage = damage
	return s.show(w, r, http.StatusOK, "task", view{Title: id, Here: "tasks", Live: id, Version: l.at, Body: p})
}

func (l look) page(id string, h record.History) taskPage {
	st := h.State
	p := taskPage{ID: id, Task: st.Task, Fold: st, View: record.NewStateView(st, h.Head), Head: h.Head, Step: st.Next}
	p.Bars = bars(p.View)
	p.Due = p.View.NotBefore
	p.State = phaseState(p.View.Phase)
	if p.Ended() {
		p.State = stageState(st.Stage())
		result := record.NewResultView(st, h.Lines, h.Head)
		p.Result = &result
	} else if n := len(h.Lines); n > 0 {
		p.Since = &h.Lines[n-1].At
	}
	p.Rounds = roundViews(st)
	slices.Reverse(p.Rounds)
	p.Lines, p.Count = lineViews(h), len(h.Lines)
	if p.Again() {
		p.Next = l.next(id)
	}
	return p
}

// A lineView is one line of a journal.
type lineView struct {
	record.Line
	What string
}

// maxLines bounds what a page shows of a journal.
const maxLines = 500

func lineViews(h record.History) []lineView {
	var all []lineView
	for _, l := range h.Lines[max(0, len(h.Lines)-maxLines):] {
		all = append(all, lineView{l, what(l)})
	}
	return all
}

// what a line says, in a few words.
func what(l record.Line) string {
	var parts []string
	switch l.Kind {
	case round.Preflight:
		parts = []string{say(l.Preflight.Reason), l.Preflight.Detail}
	case round.Generate:
		parts = []string{plural(len(l.Try.Candidate.Changed), "file") + " changed", l.Try.Ended, named(string(l.Try.Failure.Category))}
	case round.Verify:
		parts = []string{verdict(*l.Evidence)}
	case round.Decide:
		d := l.Decision
		parts = []string{string(d.Kind), say(d.Reason), string(d.Strategy), "rule " + d.Rule}
	case round.Land:
		parts = []string{l.Landed.Mode, l.Landed.Branch, say(l.Landed.Reason)}
	case round.Observe, round.Compensate:
		parts = []string{l.Observed.Op, l.Observed.Result}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// named is a category, "" for that of a try that did not fail by itself.
func named(category string) string {
	if category == "none" {
		return ""
	}
	return say(category)
}

func verdict(e round.Evidence) string {
	failed := 0
	for _, c := range e.Checks {
		if !c.Passed {
			failed++
		}
	}
	switch {
	case e.Passed():
		return "all checks passed"
	case failed > 0:
		return plural(failed, "check") + " failed"
	}
	return "out of bounds"
}

// An unclaimed is a file that waits, or that never was a task.
type unclaimed struct {
	entry
	Offer  offer
	Text   string
	Faults []task.Fault
	Hint   string
}

func (s *Server) unclaimed(w http.ResponseWriter, r *http.Request, l look, id string) error {
	p, found, err := s.index.find(id)
	if err != nil {
		return err
	}
	if !found {
		return noTask(id)
	}
	u := unclaimed{entry: l.entry(p)}
	u.Offer, _ = l.offered(p)
	if data, err := s.desk.Read(p.Stage, p.Name); err == nil {
		u.Text = string(data)
	}
	return s.show(w, r, http.StatusOK, "unclaimed", view{Title: id, Here: "tasks", Live: id, Version: l.at, Body: u})
}

// quarantined is the page of a file that is no task.
func (s *Server) quarantined(w http.ResponseWriter, r *http.Request) error {
	at := s.live.now()
	files, err := s.index.of(task.BlockedStage)
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	i := slices.IndexFunc(files, func(p placed) bool { return p.Quarantined && p.Name == name })
	if i < 0 {
		return &fault{http.StatusNotFound, "there is no such file in quarantine"}
	}
	u := unclaimed{entry: entry{placed: files[i], State: quarantined}}
	if u.Faults, u.Hint, err = s.desk.Faults(name); err != nil {
		return err
	}
	if data, err := s.desk.Read(task.BlockedStage, name); err == nil {
		u.Text = string(data)
	}
	return s.show(w, r, http.StatusOK, "unclaimed", view{Title: name, Here: "tasks", Live: "*", Version: at, Body: u})
}
