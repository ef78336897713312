package record

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// noTime is before every line.
var noTime time.Time

// OpenAccounts reads the sums and brings them up to the journals. It is called
// after Recover. Its error is ErrSpend where what was spent can't be known:
// then nothing must be started. What else was put right is told to warn.
func (s *Store) OpenAccounts(warn func(string)) (*Accounts, error) {
	r := recount{
		Accounts: &Accounts{store: s, ended: map[string]bool{}, reserved: map[string]unit.Money{}},
		open:     s.cutOff(), warn: warn,
	}
	for _, step := range []func() error{r.readSpend, r.readMetrics, r.catchUp, r.rebuild} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if r.changed {
		return r.Accounts, r.write()
	}
	return r.Accounts, nil
}

// cutOff lists the tasks that a pass had open which never came to its end.
func (s *Store) cutOff() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.noted))
}

// A recount brings the sums up to the journals.
type recount struct {
	*Accounts
	open []string
	warn func(string)

	spendAnew, metricsAnew bool // the sums are made anew from every journal
}

// readSpend believes no damaged file and throws none away, unless a pass was
// cut off: then a power cut may have damaged it, and the journals know.
func (r *recount) readSpend() error {
	there, damage, err := r.read(spendFile, func(data []byte) (err error) {
		r.spend, err = parseSpend(data)
		return err
	})
	switch {
	case err != nil:
		return err
	case there && damage == nil:
		return nil
	case there && len(r.open) == 0:
		return damagedSpend(path.Join(r.store.Path(), spendFile), damage)
	}
	r.spend, r.spendAnew = newSpend(), true
	return r.setAside(spendFile, there)
}

func (r *recount) readMetrics() error {
	there, damage, err := r.read(metricsFile, func(data []byte) (err error) {
		r.metrics, err = parseMetrics(data)
		return err
	})
	if err != nil || there && damage == nil {
		return err
	}
	r.metrics, r.metricsAnew = newMetrics(), true
	return r.setAside(metricsFile, there)
}

// read tells a file that is missing from one that can't be believed, and both
// from a disk that fails.
func (r *recount) read(name string, parse func([]byte) error) (there bool, damage, err error) {
	data, err := r.store.loop.Read(name, maxSpend)
	switch {
	case missing(err):
		return false, nil, nil
	case ioFailed(err):
		return true, nil, fmt.Errorf("read %s: %w", name, err)
	case err != nil:
		return true, err, nil
	}
	return true, parse(data), nil
}

// setAside keeps a file that could not be read, if there is one.
func (r *recount) setAside(name string, there bool) error {
	if !there {
		return nil
	}
	loop := r.store.loop
	as := aside(loop, name+".damaged")
	if err := loop.Move(name, loop, as); err != nil {
		return fmt.Errorf("set %s aside: %w", name, err)
	}
	r.warn(fmt.Sprintf("%s could not be read: it is %s now, and worked out anew from the journals", name, as))
	return nil
}

// catchUp counts what a pass that was cut off did not come to count. Where it
// can't be told how much that is, every journal is counted again.
func (r *recount) catchUp() error {
	for _, id := range r.open {
		lines, err := r.lines(id)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			continue
		}
		r.spendAnew = r.spendAnew || r.spend.doubtful(id, lines)
		r.metricsAnew = r.metricsAnew || r.metrics.doubtful(id, lines)
		r.count(id, lines)
	}
	return nil
}

// lines are those of a task's journal that are whole; none of a damaged one,
// which is told where the task is taken up.
func (r *recount) lines(id string) ([]Line, error) {
	data, err := r.store.tasks.Read(id+"/"+journalFile, maxJournal)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("count the journal of %s: %w", id, err)
	}
	c, _, err := parse(data)
	if err != nil {
		r.warn(fmt.Sprintf("the journal of %s can't be counted: %v", id, err))
		return nil, nil
	}
	return c.lines, nil
}

// rebuild makes the sums anew that have to be, from every journal there is.
func (r *recount) rebuild() error {
	if !r.spendAnew && !r.metricsAnew {
		return nil
	}
	spend, metrics := r.spend, r.metrics
	r.spend, r.metrics = newSpend(), newMetrics()
	if err := r.all(); err != nil {
		return err
	}
	if !r.spendAnew {
		r.spend = spend
	}
	if !r.metricsAnew {
		r.metrics = metrics
	}
	return nil
}

// all counts every journal.
func (r *recount) all() error {
	names, err := r.store.tasks.Names()
	if err != nil {
		return fmt.Errorf("count the journals: %w", err)
	}
	slices.Sort(names)
	for _, id := range names {
		if !r.store.Known(id) {
			continue
		}
		lines, err := r.lines(id)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			continue
		}
		r.count(id, lines)
		if r.ended[id] && !slices.Contains(r.open, id) {
			delete(r.ended, id)
			r.unmark(id)
		}
	}
	return nil
}
