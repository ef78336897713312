package web

import (
	"net/http"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// perColumn is how many tasks of a stage stand on the board.
const perColumn = 12

// A column is a stage on the board, the tasks that came into it last.
type column struct {
	Stage task.Stage
	State state
	Empty string
	Count int
	Tasks []entry
}

// A board is the first page: what needs a person, what is held, and all stages.
type board struct {
	Columns  []column
	Asking   []entry // tasks that need input
	Circuits []circuit
	Total    int
}

var empties = map[task.Stage]string{
	task.Inbox:           "Nothing waits.",
	task.Processing:      "Nothing is in work.",
	task.NeedsInputStage: "Nobody is asked for anything.",
	task.BlockedStage:    "Nothing was blocked.",
	task.Done:            "Nothing is done yet.",
}

// boardOrder is that of the columns: what needs a person stands in the middle,
// and on a narrow screen, where columns are below one another, it comes first.
var boardOrder = []task.Stage{task.Inbox, task.Processing, task.NeedsInputStage, task.BlockedStage, task.Done}

func (s *Server) board(w http.ResponseWriter, r *http.Request) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	defer l.close()
	var b board
	for _, stage := range boardOrder {
		files, err := s.index.of(stage)
		if err != nil {
			return err
		}
		c := column{Stage: stage, State: stageState(stage), Empty: empties[stage], Count: len(files)}
		for _, f := range files[:min(len(files), perColumn)] {
			c.Tasks = append(c.Tasks, l.entry(f))
		}
		if stage == task.NeedsInputStage {
			b.Asking = c.Tasks
		}
		b.Total += c.Count
		b.Columns = append(b.Columns, c)
	}
	if b.Circuits, _, err = l.circuits(); err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "board", view{Title: "Board", Here: "board", Live: "*", Version: l.at, Body: b})
}

// A circuit is a breaker as it stands now.
type circuit struct {
	record.Circuit
	Now string // closed, open, half_open
}

// Held reports that starts wait for the target.
func (c circuit) Held() bool { return c.Now != record.PhaseClosed }

// circuits are those of all targets, and the names of files that are none.
func (l look) circuits() (all []circuit, damaged []string, err error) {
	if l.Reader == nil {
		return nil, nil, nil
	}
	found, damaged, err := l.Breakers().List()
	for _, c := range found {
		all = append(all, circuit{c, c.Phase(l.Now())})
	}
	return all, damaged, err
}

func (s *Server) breakers(w http.ResponseWriter, r *http.Request) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	defer l.close()
	all, damaged, err := l.circuits()
	if err != nil {
		return err
	}
	body := struct {
		All     []circuit
		Damaged []string
	}{all, damaged}
	return s.show(w, r, http.StatusOK, "breakers", view{Title: "Breakers", Here: "breakers", Live: "*", Version: l.at, Body: body})
}
