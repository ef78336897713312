package generator

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/recovery/event"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// maxEvent is the length over which a line is no event.
const maxEvent = 16 << 20

// eventsOf reads the events of the CLI of that name.
func eventsOf(cli string) func(stdout, stderr io.Reader) (Ending, error) {
	return func(stdout, stderr io.Reader) (Ending, error) {
		r := event.New(cli)
		if err := feed(r, stdout); err != nil {
			return Ending{}, fmt.Errorf("read the events of %s: %w", cli, err)
		}
		if e := r.Run().Event(); r.Facts().Stderr && (e == nil || !e.Seen) {
			if err := feed(r, stderr); err != nil {
				return Ending{}, fmt.Errorf("read the errors of %s: %w", cli, err)
			}
		}
		return endingOf(r.Run()), nil
	}
}

// feed gives r one line after the other. A line that is too long is left out.
func feed(r *event.Reader, from io.Reader) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	var line []byte
	long := false
	for {
		part, err := lines.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxEvent; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case !long:
			r.Feed(line)
		}
		line, long = line[:0], false
		if err != nil {
			return nil
		}
	}
}

// endingOf takes over what a run told. What stands in no terminal event is no
// word on how it ended, but its session, usage and cost are true all the same.
func endingOf(run *event.Run) Ending {
	e := Ending{Summary: run.Message, InnerRetries: run.InnerRetries}
	if ev := run.Event(); ev != nil {
		e.Event = *ev
	}
	if IsSessionID(run.Session) {
		e.SessionID = run.Session
	}
	if run.UsageKnown {
		u := round.Usage(run.Usage)
		for _, n := range []*int64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite} {
			*n = min(max(*n, 0), maxTokens)
		}
		e.Usage = &u
	}
	if run.CostKnown {
		cost := min(max(run.Cost, 0), unit.Money(maxCost*1e6))
		e.Cost = &cost
	}
	return e
}

// withEvents completes a row with what reads its events.
func withEvents(a Adapter) Adapter {
	facts := event.New(a.Name).Facts()
	a.Read, a.Exits, a.Statuses = eventsOf(a.Name), facts.Exits, facts.Statuses
	return a
}

// over reports a run that had said its last word, and that it went well, when
// looprun ended it: a program may hang behind that.
func over(ended string, e Ending) bool {
	return e.Seen && e.Good && (ended == recovery.EndedSilence || ended == recovery.EndedTimeout)
}
