package web

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"looprun.dev/looprun/internal/task"
)

// An index knows which files are in which stage, and in which order. A stage is
// listed again only when its folder has changed, and a file that was seen is
// not looked at again, so that ten thousand finished tasks cost nothing.
type index struct {
	desk  Desk
	tasks string

	mu     sync.Mutex
	stages map[task.Stage]shelf
}

// A shelf is a stage as it was listed last. Its slice is never written to again.
type shelf struct {
	files   []placed // the one that came last first; of inbox by name
	byID    map[string]placed
	moved   map[string]int64
	changed time.Time // when the folder had changed last
	settled bool      // it had been at rest for long enough to be sure
}

// A placed file is one of a stage, with the time at which it came there.
type placed struct {
	File
	Stage task.Stage
	At    time.Time
}

func newIndex(desk Desk, tasks string) *index {
	return &index{desk: desk, tasks: tasks, stages: map[task.Stage]shelf{}}
}

// rest is how long a folder must have been at rest before its time of change
// tells it from what it was: clocks of file systems are coarse.
const rest = 100 * time.Millisecond

// of gives the files of a stage.
func (x *index) of(stage task.Stage) ([]placed, error) {
	s, err := x.shelf(stage)
	return s.files, err
}

func (x *index) shelf(stage task.Stage) (shelf, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	was := x.stages[stage]
	var changed time.Time
	if info, err := os.Stat(filepath.Join(x.tasks, string(stage))); err == nil {
		changed = info.ModTime()
	}
	if was.settled && changed.Equal(was.changed) {
		return was, nil
	}
	settled := time.Since(changed) > rest
	files, err := x.desk.Files(stage)
	if err != nil {
		return shelf{}, err
	}
	now := x.sorted(stage, files, was.moved)
	now.changed, now.settled = changed, settled
	x.stages[stage] = now
	return now, nil
}

func (x *index) sorted(stage task.Stage, files []File, known map[string]int64) shelf {
	s := shelf{
		moved: make(map[string]int64, len(files)), files: make([]placed, 0, len(files)),
		byID: make(map[string]placed, len(files)),
	}
	for _, f := range files {
		at, ok := known[f.Name]
		if !ok {
			at = x.desk.Moved(stage, f.Name)
		}
		s.moved[f.Name] = at
		p := placed{f, stage, time.Unix(0, at)}
		s.files = append(s.files, p)
		if !f.Quarantined {
			s.byID[f.ID] = p
		}
	}
	if stage != task.Inbox {
		slices.SortStableFunc(s.files, func(a, b placed) int { return b.At.Compare(a.At) })
	}
	return s
}

// find is the file of a task; false where it is in no stage.
func (x *index) find(id string) (placed, bool, error) {
	for _, stage := range task.Stages {
		s, err := x.shelf(stage)
		if err != nil {
			return placed{}, false, err
		}
		if p, ok := s.byID[id]; ok {
			return p, true, nil
		}
	}
	return placed{}, false, nil
}

// matching are the files of some stages whose id holds a text, those of several
// stages in the order of time.
func (x *index) matching(stages []task.Stage, text string) ([]placed, error) {
	var all []placed
	for _, stage := range stages {
		files, err := x.of(stage)
		if err != nil {
			return nil, err
		}
		if text == "" && len(stages) == 1 {
			return files, nil
		}
		for _, f := range files {
			if strings.Contains(f.ID, text) {
				all = append(all, f)
			}
		}
	}
	if len(stages) > 1 {
		slices.SortStableFunc(all, func(a, b placed) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Name, b.Name)) })
	}
	return all, nil
}
