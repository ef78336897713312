package record

import (
	"encoding/json"
	"fmt"
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

// A pauses entry is one pause that is over.
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
		err = loop.Replace(pauseFile, append(data, '\n'))
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
		err = loop.Replace(pauseLog, append(data, '\n'))
	}
	if err == nil {
		err = loop.Remove(pauseFile)
	}
	if err == nil {
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
	p := Pause{Since: info.ModTime()}
	if data, err := loop.Read(pauseFile, 64<<10); err == nil && len(data) > 0 {
		var said Pause
		if json.Unmarshal(data, &said) == nil && !said.Since.IsZero() {
			p = said
		}
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

// PausedFor is how long looprun was paused between since and now.
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
	var sum time.Duration
	for _, i := range all {
		from, to := i.From, i.To
		if from.Before(since) {
			from = since
		}
		if to.After(now) {
			to = now
		}
		sum += max(0, to.Sub(from))
	}
	return unit.Duration(sum), nil
}

// requestsDir holds <verb>-<id>.json: what a command asks of the instance that
// runs.
const requestsDir = "requests"

// Cancel asks for the end of a task. The request stays until it is answered.
func Cancel(loop *fsx.Dir, id string, at time.Time) error {
	dir, err := within(loop, requestsDir)
	if err != nil {
		return fmt.Errorf("ask to cancel %s: %w", id, err)
	}
	defer dir.Close()
	data := fmt.Sprintf("{\"verb\": \"cancel\", \"id\": %q, \"at\": %q}\n", id, at.UTC().Format(time.RFC3339))
	if err := dir.Replace("cancel-"+id+".json", []byte(data)); err != nil {
		return fmt.Errorf("ask to cancel %s: %w", id, err)
	}
	return nil
}

// Cancelled tells whether somebody asked for the end of a task.
func Cancelled(loop *fsx.Dir, id string) (bool, error) {
	_, err := loop.Lstat(requestsDir + "/cancel-" + id + ".json")
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// Answered takes away the requests about a task that has ended.
func Answered(loop *fsx.Dir, id string) error {
	dir, err := loop.Sub(requestsDir)
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("take requests about %s away: %w", id, err)
	}
	defer dir.Close()
	if err = dir.Remove("cancel-" + id + ".json"); missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("take requests about %s away: %w", id, err)
	}
	return nil
}
