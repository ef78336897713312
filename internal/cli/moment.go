package cli

import (
	"errors"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// A moment is a flag that takes a time to come: a duration from now, a time of
// day, a day with a time, or RFC 3339. Without a zone it is local.
type moment struct {
	now  func() time.Time
	time time.Time
}

func (m *moment) String() string {
	if m.time.IsZero() {
		return ""
	}
	return m.time.Format(time.RFC3339)
}

func (m *moment) Type() string { return "time" }

func (m *moment) Set(text string) error {
	now := m.now()
	at, err := parseMoment(text, now)
	switch {
	case err != nil:
		return err
	case !at.After(now):
		return errors.New("that time has passed")
	}
	m.time = at
	return nil
}

func parseMoment(text string, now time.Time) (time.Time, error) {
	if d, err := unit.ParseDuration(text); err == nil {
		return now.Add(d.Std()), nil
	}
	if at, err := time.ParseInLocation("15:04", text, now.Location()); err == nil {
		today := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
		if today.After(now) {
			return today, nil
		}
		return time.Date(now.Year(), now.Month(), now.Day()+1, at.Hour(), at.Minute(), 0, 0, now.Location()), nil
	}
	if at, ok := parseDay(text, now); ok {
		return at, nil
	}
	return time.Time{}, errors.New("give a duration as 90s or 2h, a time as 08:30 or 2026-01-31 08:30, or RFC 3339")
}

// parseDay reads a day, or a time of a day.
func parseDay(text string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
