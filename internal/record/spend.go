package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

const (
	spendFile   = "spend.json"
	spendSchema = "looprun.spend/1"
	maxSpend    = 64 << 20
	keptDays    = 100 // of which spend.json knows each by itself
)

// ErrSpend is in the error about a spend.json that cannot be believed. Nothing
// may be claimed then: it would read as if nothing had been spent.
var ErrSpend = errors.New("what was spent is not known")

// Spend is spend.json: what all tries have used up, in all and by day. It
// follows from the journals.
type Spend struct {
	Schema string              `json:"schema"`
	Total  Account             `json:"total"`
	Days   map[string]*Account `json:"days"` // by date, UTC
	Marks
}

// Marks say how far the journals are in the sums that they stand beside. A task
// that ended in a pass which came to its own end is counted whole and has none.
type Marks struct {
	Latest  time.Time      `json:"latest"`  // no line that is counted is younger
	Counted map[string]int `json:"counted"` // how many lines, of each other task
}

// reach notes that all lines of a journal are counted.
func (m *Marks) reach(id string, lines []Line) {
	for _, l := range lines[min(len(lines), max(0, m.Counted[id])):] {
		if l.At.After(m.Latest) {
			m.Latest = l.At
		}
	}
	m.Counted[id] = len(lines)
}

// doubtful reports a task without a mark that may be in the sums or not. One
// that was never counted has not ended, or ended after the last line that was.
func (m Marks) doubtful(id string, lines []Line) bool {
	_, marked := m.Counted[id]
	return !marked && finished(lines) && !lines[len(lines)-1].At.After(m.Latest)
}

// SpentOn is what the tries of the day of now cost. A damaged file is an
// ErrSpend.
func (r *Reader) SpentOn(now time.Time) (unit.Money, error) {
	data, err := r.loop.Read(spendFile, maxSpend)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", spendFile, err)
	}
	s, err := parseSpend(data)
	if err != nil {
		return 0, damagedSpend(filepath.Join(r.loop.Path(), spendFile), err)
	}
	return s.on(now), nil
}

func newSpend() Spend {
	return Spend{Schema: spendSchema, Days: map[string]*Account{}, Marks: Marks{Counted: map[string]int{}}}
}

// parseSpend reads the file. It believes nothing that it does not know.
func parseSpend(data []byte) (Spend, error) {
	var s Spend
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	switch {
	case s.Schema != spendSchema:
		return s, fmt.Errorf("its schema is %q, not %q", s.Schema, spendSchema)
	case s.Days == nil || s.Counted == nil || dec.More():
		return s, errors.New("it is not whole")
	}
	for _, day := range slices.Sorted(maps.Keys(s.Days)) {
		if _, err := time.Parse(time.DateOnly, day); err != nil || s.Days[day] == nil || !s.Days[day].sound() {
			return s, fmt.Errorf("its account of %q makes no sense", day)
		}
	}
	for _, n := range s.Counted {
		if n < 0 {
			return s, errors.New("it has counted less than nothing")
		}
	}
	if !s.Total.sound() {
		return s, errors.New("its total makes no sense")
	}
	return s, nil
}

func (a Account) sound() bool {
	t := a.Tokens
	return min(int64(a.Tries), int64(a.Unknown), int64(a.Cost), t.Input, t.Output, t.CacheRead, t.CacheWrite) >= 0
}

// charge adds what the lines of a task that are not counted yet have used up.
// It reports whether there was anything.
func (s *Spend) charge(id string, lines []Line) (charged bool) {
	for _, l := range lines[min(len(lines), s.Counted[id]):] {
		if l.Kind != round.Generate {
			continue
		}
		charged = true
		s.Total.charge(*l.Try)
		entry(s.Days, dayOf(l.At)).charge(*l.Try)
	}
	s.reach(id, lines)
	return charged
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// forget drops the days that no limit asks about any more.
func (s *Spend) forget() {
	days := slices.Sorted(maps.Keys(s.Days))
	for _, day := range days[:max(0, len(days)-keptDays)] {
		delete(s.Days, day)
	}
}

// on is what was spent on the day of a time.
func (s *Spend) on(at time.Time) unit.Money {
	if a := s.Days[dayOf(at)]; a != nil {
		return a.Cost
	}
	return 0
}

// damagedSpend tells a person how to go on.
func damagedSpend(path string, cause error) error {
	return fmt.Errorf("%w: %s: %w: move the file away to have it worked out anew from the journals", ErrSpend, path, cause)
}
