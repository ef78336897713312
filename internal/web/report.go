package web

import (
	"slices"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A Report is what happened in a period, from the journals, and what waits now.
type Report struct {
	Period
	Name    string
	Made    time.Time
	Stages  []column // where the tasks stand now, without the tasks
	Waiting []entry  // what a person has to do something about
	More    int      // further tasks that wait for a person
	Held    []circuit
	Tally   record.Tally
	Buckets []bucket
	Tasks   []taskLine // that ended in the period, the last one first
	Left    int        // further ones
	Spent   spending
	Damaged []string // journals that could not be read to their end
}

// A spending is what tries and checks of the period used, and what for.
type spending struct {
	Tries     int
	Unknown   int // tries of unknown cost
	Cost      unit.Money
	Tokens    int64
	Generator time.Duration
	Checks    time.Duration
	ByEnd     map[task.Decision]unit.Money // "": of tasks that have not ended
}

// A taskLine is a task that ended in the period.
type taskLine struct {
	ID, Title string
	Decision  task.Decision
	Reason    task.Reason
	Rounds    int
	Tries     int
	Cost      unit.Money
	Time      time.Duration
	At        time.Time
	Branch    string
}

// Bounds of what a report lists. What is left out is counted.
const (
	maxTaskLines = 500
	maxWaiting   = 100
)

// NewReport reads the journals that have lines in the period, one at a time.
func NewReport(desk Desk, o Options, p Period) (Report, error) {
	s := &Server{Options: o, desk: desk, index: newIndex(desk, o.Tasks), live: newPulse(o.Loop, o.Tasks)}
	return s.survey(p)
}

func (s *Server) survey(p Period) (Report, error) {
	rep := Report{Period: p, Name: s.Name, Made: s.Now(), Spent: spending{ByEnd: map[task.Decision]unit.Money{}}}
	l, err := s.look()
	if err != nil {
		return rep, err
	}
	defer l.close()
	if l.Reader != nil {
		err = l.Survey(p.Since, func(id string, h record.History, err error) error {
			if err != nil {
				rep.Damaged = append(rep.Damaged, id)
			}
			rep.add(h)
			return nil
		})
		if err != nil {
			return rep, err
		}
	}
	rep.finish()
	return rep, l.present(&rep)
}

// add counts the lines of one journal that are within the period.
func (rep *Report) add(h record.History) {
	n := len(h.Lines)
	for n > 0 && !h.Lines[n-1].At.Before(rep.Until) {
		n--
	}
	lines := h.Lines[:n]
	if n == 0 || lines[n-1].At.Before(rep.Since) {
		return
	}
	rep.Tally.Add(lines, 0, rep.Since)
	var cost unit.Money
	for _, l := range lines {
		if !rep.holds(l.At) {
			continue
		}
		b := rep.bucket(l.At)
		switch l.Kind {
		case round.Generate:
			cost += rep.tried(b, *l.Try)
		case round.Verify:
			d := time.Duration(l.Evidence.DurationMS) * time.Millisecond
			rep.Spent.Checks += d
			b.Time += d
		case round.Finish:
			rep.ended(b, h, l.At)
		}
	}
	end := task.Decision("")
	if last := lines[n-1]; last.Kind == round.Finish {
		end = h.State.Decision.Kind
	}
	rep.Spent.ByEnd[end] += cost
}

func (rep *Report) tried(b *bucket, t round.Try) (cost unit.Money) {
	d := time.Duration(t.DurationMS) * time.Millisecond
	rep.Spent.Tries++
	rep.Spent.Generator += d
	b.Tries++
	b.Time += d
	if t.Usage != nil {
		rep.Spent.Tokens += t.Usage.Tokens()
	}
	if t.Cost == nil {
		rep.Spent.Unknown++
		return 0
	}
	rep.Spent.Cost += *t.Cost
	b.Cost += *t.Cost
	return *t.Cost
}

func (rep *Report) ended(b *bucket, h record.History, at time.Time) {
	s := h.State
	switch s.Decision.Kind {
	case task.Completed:
		b.Done++
	case task.NeedsInput:
		b.Asks++
	default:
		b.Blocked++
	}
	rep.Tasks = append(rep.Tasks, taskLine{
		ID: s.Task.ID, Title: s.Task.Title, Decision: s.Decision.Kind, Reason: s.Decision.Reason, Rounds: s.Round, Tries: s.Spent.Tries,
		Cost: s.Spent.Cost, Time: s.Spent.WallClock.Std(), At: at, Branch: s.Landed.Branch,
	})
}

func (rep *Report) finish() {
	rep.Tally.Derive()
	if len(rep.Buckets) == 0 {
		rep.Buckets = buckets(rep.Period)
	}
	slices.SortStableFunc(rep.Tasks, func(a, b taskLine) int { return b.At.Compare(a.At) })
	if n := len(rep.Tasks); n > maxTaskLines {
		rep.Tasks, rep.Left = rep.Tasks[:maxTaskLines], n-maxTaskLines
	}
}

// present adds what is so now: where tasks stand and what waits for a person.
func (l look) present(rep *Report) error {
	for _, stage := range boardOrder {
		files, err := l.index.of(stage)
		if err != nil {
			return err
		}
		rep.Stages = append(rep.Stages, column{Stage: stage, State: stageState(stage), Count: len(files)})
		for _, f := range files {
			if stage != task.NeedsInputStage && stage != task.Processing && !f.Quarantined {
				continue
			}
			l.waits(rep, f)
		}
	}
	circuits, _, err := l.circuits()
	for _, c := range circuits {
		if c.Held() {
			rep.Held = append(rep.Held, c)
		}
	}
	return err
}

// waits adds a task if it waits for a person: one that is held, or that asked
// and was not answered yet.
func (l look) waits(rep *Report, f placed) {
	if len(rep.Waiting) >= maxWaiting {
		rep.More++
		return
	}
	e := l.entry(f)
	if held := e.State == phaseState("held"); e.Next == "" && (held || f.Stage != task.Processing) {
		rep.Waiting = append(rep.Waiting, e)
	}
}

// Ended is how many tasks ended in the period with a decision.
func (rep Report) Ended(d task.Decision) int { return rep.Tally.Tasks[string(d)] }

// AllEnded is how many tasks ended in the period.
func (rep Report) AllEnded() int {
	return rep.Ended(task.Completed) + rep.Ended(task.Blocked) + rep.Ended(task.NeedsInput)
}
