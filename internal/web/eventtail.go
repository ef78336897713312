package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// An eventTail reads what is appended to events.jsonl.
type eventTail struct {
	path string
	at   int64
}

func newEventTail(path string) *eventTail {
	t := &eventTail{path: path}
	if info, err := os.Stat(path); err == nil {
		t.at = info.Size()
	}
	return t
}

// maxTail bounds what is read of the events at once: a page needs to know that
// there was much, not all of it.
const maxTail = 1 << 20

// read gives the events since it was called last, as one change.
func (t *eventTail) read() change {
	info, err := os.Stat(t.path)
	if err != nil || info.Size() == t.at {
		return change{}
	}
	if info.Size() < t.at || info.Size()-t.at > maxTail {
		t.at = max(0, info.Size()-maxTail) // it was made anew, or grew much
	}
	f, err := os.Open(t.path)
	if err != nil {
		return change{}
	}
	defer f.Close()
	data := make([]byte, info.Size()-t.at)
	n, _ := f.ReadAt(data, t.at)
	whole := bytes.LastIndexByte(data[:n], '\n') + 1
	t.at += int64(whole)
	return parseEvents(data[:whole])
}

// parseEvents makes one change of whole lines of events.jsonl.
func parseEvents(data []byte) change {
	var c change
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		var v record.EventView
		if json.Unmarshal(line, &v) != nil || v.TaskID == "" {
			continue
		}
		if !seen[v.TaskID] {
			seen[v.TaskID] = true
			c.Tasks = append(c.Tasks, v.TaskID)
		}
		if text := told(v); text != "" {
			c.What = append(c.What, text)
		}
	}
	const most = 5 // nobody listens to more at once
	c.What = c.What[max(0, len(c.What)-most):]
	return c
}

// told is an event that is worth saying aloud.
func told(v record.EventView) string {
	switch v.Kind {
	case round.Claim:
		return v.TaskID + ": claimed"
	case round.Start:
		return fmt.Sprintf("%s: round %d, try %d started", v.TaskID, v.Round, v.Try)
	case round.Finish:
		return v.TaskID + ": " + decisionState(v.Decision).Word + ", " + say(v.Reason)
	case round.Decide:
		if v.Decision.Stage() == "" {
			return v.TaskID + ": " + decisionState(v.Decision).Word + ", " + say(v.Reason)
		}
	}
	return ""
}
