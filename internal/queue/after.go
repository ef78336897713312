package queue

import (
	"slices"

	"looprun.dev/looprun/internal/task"
)

// dependencies is what is known of the ids that files in inbox come after.
type dependencies struct {
	met    map[string]bool
	circle map[string]string // file name: the circle it is part of
}

// open is the ids of after that are not done. An id that nobody knows is one
// of them: its task may still come.
func (d dependencies) open(after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(id string) bool { return d.met[id] })
}

// dependencies costs a listing of done if any file comes after another.
func (s *scan) dependencies() (dependencies, error) {
	deps := dependencies{met: map[string]bool{}}
	for _, e := range s.seen {
		if e.state == ready {
			for _, id := range e.rare().after {
				deps.met[id] = false
			}
		}
	}
	if len(deps.met) == 0 {
		return deps, nil
	}
	deps.circle = circles(s.seen)
	names, err := s.names(task.Done)
	if err != nil {
		return deps, err
	}
	for _, name := range names {
		if err := s.meet(deps.met, name); err != nil {
			return deps, err
		}
	}
	return deps, nil
}

// meet marks the ids that a file in done satisfies: its own, and that of the
// task it follows up. A task that has yet to run has no follow-ups, so then
// the name only looks like one.
func (s *scan) meet(met map[string]bool, name string) error {
	if sortOf(name) != offered {
		return nil
	}
	id := stem(name)
	if _, asked := met[id]; asked {
		met[id] = true
	}
	for of, ok := followed(id); ok; of, ok = followed(of) {
		if done, asked := met[of]; !asked || done {
			continue
		}
		pending, err := s.pending(of + suffix)
		if err != nil {
			return err
		}
		met[of] = !pending
	}
	return nil
}

func (s *scan) pending(name string) (bool, error) {
	for _, stage := range []task.Stage{task.Inbox, task.Processing} {
		if info, err := s.has(stage, name); err != nil || info != nil {
			return true, err
		}
	}
	return false, nil
}
