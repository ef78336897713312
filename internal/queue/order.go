package queue

import (
	"cmp"
	"slices"

	"looprun.dev/looprun/internal/task"
)

// listing sorts what a scan found into what can be done about it.
func (s *scan) listing() (Listing, error) {
	deps, err := s.dependencies()
	if err != nil {
		return Listing{}, err
	}
	s.forgetStuck()
	for i := range s.seen {
		s.place(&s.seen[i], deps)
	}
	slices.SortStableFunc(s.Ready, func(a, b Item) int { return cmp.Compare(b.Priority, a.Priority) })
	return s.Listing, nil
}

func (s *scan) place(e *entry, deps dependencies) {
	if e.state == odd {
		return
	}
	if p := s.stuck[e.name]; p != nil && s.now.Before(p.until) {
		s.Waiting = append(s.Waiting, Waiting{Name: e.name, Why: IsStuck, Until: p.until})
		return
	}
	switch {
	case e.state == half:
		until := e.rare().last.Add(settleTime)
		s.Waiting = append(s.Waiting, Waiting{Name: e.name, Why: HalfWritten, Until: until})
		if s.Settles.IsZero() || until.Before(s.Settles) {
			s.Settles = until
		}
	case e.state == bad:
		s.Bad = append(s.Bad, Bad{Name: e.name, Faults: e.rare().faults})
	case deps.circle[e.name] != "":
		s.Bad = append(s.Bad, Bad{Name: e.name, Faults: faultOf(e.name, task.CodeCycle, "the task waits for itself: %s", deps.circle[e.name])})
	case e.rare().notBefore.After(s.now):
		s.Waiting = append(s.Waiting, Waiting{Name: e.name, Why: NotBefore, Until: e.rare().notBefore})
	default:
		if open := deps.open(e.rare().after); len(open) > 0 {
			s.Waiting = append(s.Waiting, Waiting{Name: e.name, Why: After, For: open})
			return
		}
		s.Ready = append(s.Ready, Item{Name: e.name, Priority: int(e.priority)})
	}
}
