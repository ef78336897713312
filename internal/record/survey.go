package record

import (
	"fmt"
	"slices"
	"time"
)

// Survey visits the journals that have lines from since on, by task, one at a
// time. It changes nothing and needs no lock. A journal that is damaged is
// visited with its error and the lines before the damage. An error of visit
// ends the survey.
func (r *Reader) Survey(since time.Time, visit func(id string, h History, err error) error) error {
	tasks, err := r.loop.Sub("tasks")
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("survey the journals: %w", err)
	}
	defer tasks.Close()
	names, err := tasks.Names()
	if err != nil {
		return fmt.Errorf("survey the journals: %w", err)
	}
	slices.Sort(names)
	for _, id := range names {
		info, err := tasks.Lstat(id + "/" + journalFile)
		if err != nil || info.Size() == 0 || info.ModTime().Before(since) {
			continue // it was last written before: nothing in it is newer
		}
		h, err := r.Task(id)
		if err := visit(id, h, err); err != nil {
			return err
		}
	}
	return nil
}

// Breakers are the circuits of all targets, to look at.
func (r *Reader) Breakers() *Breakers { return NewBreakers(r.loop) }
