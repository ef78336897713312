package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/unit"
)

// The pause flag: that it exists is all that counts. pauseLog adds up what was
// paused, since paused time does not count against deadlines.
const (
	pauseFile = "pause"
	pauseLog  = "pauses.json"
)

// A Pause is what the flag file says of itself. A flag made by hand is empty.
type Pause struct {
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until,omitzero"` // zero: until it is taken away
	Reason string    `json:"reason,omitempty"`
}

// Over reports a pause whose time has passed, although its flag still stands.
func (p Pause) Over(now time.Time) bool { return !p.Until.IsZero() && !now.Before(p.Until) }

// end is when the pause was over, as seen at now.
func (p Pause) end(now time.Time) time.Time {
	if p.Over(now) {
		return p.Until
	}
	return now
}

// An interval is one pause that is over.
type interval struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// SetPause sets the flag, or gives the pause that stands another end. It
// reports false where nothing changed.
func SetPause(loop *fsx.Dir, p Pause) (bool, error) {
	was, flagged, err := PauseFlag(loop)
	switch {
	case err != nil:
		return false, err
	case flagged && was.Over(p.Since):
		if _, err := ClearPause(loop, p.Since); err != nil {
			return false, err
		}
	case flagged && was.Until.Equal(p.Until):
		return false, nil
	case flagged:
		p.Since = was.Since
	}
	data, err := json.Marshal(p)
	if err == nil {
		err = publish(loop, pauseFile, append(data, '\n'))
	}
	if err != nil {
		return false, fmt.Errorf("set the pause flag: %w", err)
	}
	return true, nil
}

// ClearPause takes the flag away and remembers how long it stood. It reports
// false where none was set.
func ClearPause(loop *fsx.Dir, now time.Time) (bool, error) {
	p, paused, err := PauseFlag(loop)
	if !paused || err != nil {
		return false, err
	}
	over, err := pauses(loop)
	if err != nil {
		return false, err
	}
	data, err := json.Marshal(append(over, interval{From: p.Since, To: p.end(now.UTC())}))
	if err == nil {
		err = publish(loop, pauseLog, append(data, '\n'))
	}
	if err == nil {
		err = loop.Remove(pauseFile)
	}
	if err == nil || missing(err) { // somebody else may have cleared it
		err = loop.Sync()
	}
	if err != nil {
		return false, fmt.Errorf("clear the pause flag: %w", err)
	}
	return true, nil
}

// PausedAt tells whether looprun is paused at now: the flag is set, and the
// time written into it, if any, has not passed.
func PausedAt(loop *fsx.Dir, now time.Time) (Pause, bool, error) {
	p, flagged, err := PauseFlag(loop)
	return p, flagged && !p.Over(now), err
}

// PauseFlag tells whether the flag is set, and what was written into it.
func PauseFlag(loop *fsx.Dir) (Pause, bool, error) {
	info, err := loop.Lstat(pauseFile)
	if missing(err) {
		return Pause{}, false, nil
	}
	if err != nil {
		return Pause{}, false, fmt.Errorf("look for the pause flag: %w", err)
	}
	var p Pause
	if data, err := loop.Read(pauseFile, 64<<10); err != nil || json.Unmarshal(data, &p) != nil {
		p = Pause{} // made by hand
	}
	if p.Since.IsZero() {
		p.Since = info.ModTime()
	}
	return p, true, nil
}

func pauses(loop *fsx.Dir) ([]interval, error) {
	data, err := loop.Read(pauseLog, 16<<20)
	if missing(err) {
		return nil, nil
	}
	var all []interval
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: move it away to count no pause so far", pauseLog, err)
	}
	return all, nil
}

// PausedFor is how long looprun was paused between since and now. A pause that
// was written down twice, as after a crash in ClearPause, counts once.
func PausedFor(loop *fsx.Dir, since, now time.Time) (unit.Duration, error) {
	all, err := pauses(loop)
	if err != nil {
		return 0, err
	}
	if p, paused, err := PauseFlag(loop); err != nil {
		return 0, err
	} else if paused {
		all = append(all, interval{From: p.Since, To: p.end(now)})
	}
	slices.SortFunc(all, func(a, b interval) int { return a.From.Compare(b.From) })
	var sum time.Duration
	counted := since // up to here
	for _, i := range all {
		from, to := later(i.From, counted), earlier(i.To, now)
		if to.After(from) {
			sum += to.Sub(from)
			counted = to
		}
	}
	return unit.Duration(sum), nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
