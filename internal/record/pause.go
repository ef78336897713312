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
	Reason string    `json:"reason,omitempty"`
}

// An interval is one pause that is over.
type interval struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// SetPause sets the flag. It reports false where it was set already.
func SetPause(loop *fsx.Dir, p Pause) (bool, error) {
	if _, paused, err := PauseFlag(loop); paused || err != nil {
		return false, err
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
	data, err := json.Marshal(append(over, interval{From: p.Since, To: now.UTC()}))
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
		all = append(all, interval{From: p.Since, To: now})
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
