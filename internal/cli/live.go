package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"looprun.dev/looprun/internal/round"
)

// A live shows below the lines of a terminal one more for each task under way,
// and draws these anew as time goes by. Where there is no terminal it draws
// nothing, and is only a way to print a line.
type live struct {
	w     io.Writer          // the terminal itself; nil: none
	width func() (int, bool) // as it is now: a window may be resized
	now   func() time.Time

	mu    sync.Mutex
	tasks []string // in the order in which they came
	rows  map[string]row
	drawn int // lines that stand below the last printed one
	stop  chan struct{}
}

// A row is what is known of a task under way.
type row struct {
	round, try int
	since      time.Time
	cost, last string
}

// between is the time between two drawings.
const between = time.Second

// newLive draws on the terminal behind standard error, if it is one.
func (a *app) newLive() *live {
	l := &live{now: a.now, rows: map[string]row{}, stop: make(chan struct{})}
	if _, ok := a.screenOf(a.errFile); ok {
		l.w, l.width = a.errFile, func() (int, bool) { return a.screenOf(a.errFile) }
		go l.tick()
	}
	return l
}

func (l *live) tick() {
	t := time.NewTicker(between)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			l.above(func() {})
		}
	}
}

// close takes the rows away for good.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.erase()
	l.w = nil
}

// above calls print while the rows are away, so that what it prints stands
// above them.
func (l *live) above(print func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	print()
	l.draw()
}

// note keeps what an event says of its task. A task that has ended, or waits
// for another pass, has no row.
func (l *live) note(s round.State, e round.Event, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := s.Task.ID
	if s.Next == round.End || s.Next == round.Wait {
		l.forget(id)
		return
	}
	was, known := l.rows[id]
	if !known {
		l.tasks = append(l.tasks, id)
		was = row{since: l.now(), last: "claimed"}
	}
	if line != "" {
		was.last = line
	}
	was.round, was.try, was.cost = s.Round, s.Tries, s.Spent.Cost.String()
	l.rows[id] = was
}

func (l *live) forget(id string) {
	delete(l.rows, id)
	kept := l.tasks[:0]
	for _, other := range l.tasks {
		if other != id {
			kept = append(kept, other)
		}
	}
	l.tasks = kept
}

// left forgets a task that the pass goes no further with.
func (l *live) left(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(id)
}

func (l *live) erase() {
	if l.w != nil && l.drawn > 0 {
		fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.drawn) // up, and clear what is below
	}
	l.drawn = 0
}

func (l *live) draw() {
	if l.w == nil {
		return
	}
	width, ok := l.width()
	if !ok {
		return
	}
	longest := 0
	for _, id := range l.tasks {
		longest = max(longest, len(id))
	}
	var b strings.Builder
	for _, id := range l.tasks {
		b.WriteString(cut(l.rows[id].text(id, longest, l.now()), width-1) + "\n")
	}
	_, _ = io.WriteString(l.w, b.String()) // a terminal that went away needs no rows
	l.drawn = len(l.tasks)
}

func (r row) text(id string, longest int, now time.Time) string {
	return fmt.Sprintf("  %-*s  round %d try %d  %7s  $%s  %s", longest, id, r.round, r.try, elapsed(now.Sub(r.since)), r.cost, r.last)
}

// elapsed is a time as a clock shows it.
func elapsed(d time.Duration) string {
	s := int(max(0, d).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// cut keeps a line within the width of a terminal: one that it breaks would
// not be taken away whole. What is not Latin may be two columns wide.
func cut(line string, width int) string {
	at := 0
	for i, r := range line {
		if at++; r >= 0x1100 {
			at++
		}
		if at > width {
			return line[:i]
		}
	}
	return line
}
