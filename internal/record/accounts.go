package record

import (
	"fmt"
	"sync"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// Accounts are the sums over all tasks that outlive a process: spend.json and
// metrics.json. Both follow from the journals and are written as views, without
// an fsync: after a pass that never came to its end they are compared with the
// journals that it had open. Several goroutines may use Accounts.
type Accounts struct {
	store *Store

	mu       sync.Mutex
	spend    Spend
	metrics  Metrics
	ended    map[string]bool       // tasks that need no mark once the pass is over
	changed  bool                  // the files are not as the sums
	written  time.Time             // the line after which they were
	reserved map[string]unit.Money // for starts that are under way
}

// lag bounds how far the files may be behind the sums while tries are charged.
// What they lack is counted again after a crash.
const lag = time.Second

// Count adds what was recorded in j since the last call.
func (a *Accounts) Count(j *Journal) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	lines := j.Lines()
	charged, at := a.count(j.ID, lines), lines[len(lines)-1].At
	if gone := at.Sub(a.written); !charged || gone >= 0 && gone < lag {
		return nil
	}
	a.written = at
	return a.write()
}

// count adds what is new in a journal to both sums. It reports whether a try
// was charged.
func (a *Accounts) count(id string, lines []Line) (charged bool) {
	a.changed = a.changed || a.spend.Counted[id] != len(lines) || a.metrics.Counted[id] != len(lines)
	charged = a.spend.charge(id, lines)
	a.metrics.count(id, lines)
	if finished(lines) {
		a.ended[id] = true
	}
	return charged
}

func finished(lines []Line) bool {
	return len(lines) > 0 && lines[len(lines)-1].Kind == round.Finish
}

func (a *Accounts) write() error {
	a.spend.forget()
	a.metrics.Derive()
	if err := a.view(spendFile, a.spend); err != nil {
		return err
	}
	if err := a.view(metricsFile, a.metrics); err != nil {
		return err
	}
	a.changed = false
	return nil
}

func (a *Accounts) view(name string, doc any) error {
	data, err := encodeView(doc)
	if err == nil {
		err = a.store.loop.View(name, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Settle writes the sums at the end of a pass, before Leave makes them durable.
// It does nothing where nothing was counted.
func (a *Accounts) Settle() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.changed && len(a.ended) == 0 {
		return nil
	}
	for id := range a.ended {
		a.unmark(id)
	}
	clear(a.ended)
	return a.write()
}

// unmark forgets how much of a journal is counted: nothing will be added to it.
func (a *Accounts) unmark(id string) {
	delete(a.spend.Counted, id)
	delete(a.metrics.Counted, id)
}

// Reserve sets money aside for a start of a task, and returns what was spent on
// the day of now together with what is set aside for the starts of others.
func (a *Accounts) Reserve(id string, amount unit.Money, now time.Time) unit.Money {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved[id] = amount
	return a.spentBeside(id, now)
}

// Release takes back what was set aside for a start: it is over, or was none.
func (a *Accounts) Release(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.reserved, id)
}

// SpentOn is what Reserve would return, with nothing set aside.
func (a *Accounts) SpentOn(id string, now time.Time) unit.Money {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spentBeside(id, now)
}

func (a *Accounts) spentBeside(id string, now time.Time) unit.Money {
	sum := a.spend.on(now)
	for other, amount := range a.reserved {
		if other != id {
			sum += amount
		}
	}
	return sum
}

// Tally is a copy of what the journals come to so far.
func (a *Accounts) Tally() Tally {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.metrics.Tally.clone()
}
