package queue

import (
	"slices"

	"looprun.dev/looprun/internal/task"
)

// A Card is a file in a stage, by its name alone.
type Card struct {
	Name        string
	Quarantined bool // it stands in blocked with a reason and never was a task
}

// ID is the id of the task; for a file in quarantine it may be none.
func (c Card) ID() string { return stem(c.Name) }

// List gives what is in a stage, by name. It reads no file and asks nothing
// about one, so it costs one listing however many there are.
func (q *Queue) List(stage task.Stage) ([]Card, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	names, err := q.names(stage)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	cards := make([]Card, 0, len(names))
	for _, name := range names {
		if sortOf(name) != offered || stage == task.BlockedStage && isReason(name) {
			continue
		}
		cards = append(cards, Card{Name: name, Quarantined: stage == task.BlockedStage && inQuarantine(names, name)})
	}
	return cards, nil
}

// inQuarantine looks for a file's reason in the sorted names of blocked.
func inQuarantine(names []string, name string) bool {
	_, found := slices.BinarySearch(names, reasonName(name))
	return found
}
