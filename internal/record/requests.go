package record

import (
	"encoding/json"
	"fmt"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

// requestsDir holds <verb>-<id>.json: what a command asks of the instance that
// runs.
const requestsDir = "requests"

// A Request is what such a file says. That it exists is what counts.
type Request struct {
	Verb string    `json:"verb"`
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
}

func cancelFile(id string) string { return "cancel-" + id + ".json" }

// Cancel asks for the end of a task. The request stays until it is answered.
func Cancel(loop *fsx.Dir, id string, at time.Time) error {
	data, err := json.Marshal(Request{Verb: "cancel", ID: id, At: at.UTC()})
	if err != nil {
		return fmt.Errorf("ask to cancel %s: %w", id, err)
	}
	dir, err := within(loop, requestsDir)
	if err != nil {
		return fmt.Errorf("ask to cancel %s: %w", id, err)
	}
	defer dir.Close()
	if err := publish(dir, cancelFile(id), append(data, '\n')); err != nil {
		return fmt.Errorf("ask to cancel %s: %w", id, err)
	}
	return nil
}

// publish replaces a file that is written without the lock. The instance that
// starts at the same moment may sweep its temporary file; then it is written
// once more.
func publish(dir *fsx.Dir, name string, data []byte) error {
	err := dir.Replace(name, data)
	if missing(err) {
		err = dir.Replace(name, data)
	}
	return err
}

// Cancelled tells whether somebody asked for the end of a task.
func Cancelled(loop *fsx.Dir, id string) (bool, error) {
	_, err := loop.Lstat(requestsDir + "/" + cancelFile(id))
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for requests about %s: %w", id, err)
	}
	return true, nil
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
	if err = dir.Remove(cancelFile(id)); err != nil && !missing(err) {
		return fmt.Errorf("take requests about %s away: %w", id, err)
	}
	return nil
}
