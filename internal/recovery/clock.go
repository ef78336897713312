package recovery

import (
	"strconv"
	"strings"
	"time"
)

// A calendar is a time as people write it: parts of a date, a time of day, a
// zone, each of which may be missing.
type calendar struct {
	year, month, day int // zero: not given
	weekday          int // time.Weekday + 1; zero: not given
	ahead            int // days from today
	hour, minute     int
	zone             string
}

var (
	dayName   = lazily(`(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b\.?,?\s*`)
	dayWord   = lazily(`(?i)^(today|tonight|tomorrow)\b,?\s*`)
	monthDay  = lazily(`(?i)^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?,?\s*`)
	dayMonth  = lazily(`(?i)^(\d{1,2})(?:st|nd|rd|th)?\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?(?:,?\s+(\d{4})\b)?,?\s*`)
	slashDate = lazily(`^(\d{1,2})/(\d{1,2})/(\d{4})\b,?\s*`)
	isoDay    = lazily(`^(\d{4})-(\d\d)-(\d\d)\b,?\s*`)
	atWord    = lazily(`(?i)^at\s+`)
	halfClock = lazily(`(?i)^(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])\.?m\b\.?`)
	fullClock = lazily(`^(\d{1,2}):(\d\d)(?::\d\d)?\b`)
	noonWord  = lazily(`(?i)^(midnight|noon)\b`)
	zoneName  = lazily(`^\s*[\[(]?([A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_+\-0-9]+)+|[A-Z]{1,4}[+-]\d{1,2}(?::\d\d)?|[A-Z]{1,4}|[+-]\d\d:?\d\d)\b[\])]?`)
)

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// calendar takes a date, a time of day, or both. A date alone means its first
// minute.
func (s *scanner) calendar() (calendar, bool) {
	var c calendar
	dated := s.date(&c)
	s.take(atWord)
	clocked := s.clock(&c)
	if g := s.take(zoneName); g != nil && clocked {
		c.zone = g[1]
	}
	return c, dated || clocked
}

func (s *scanner) date(c *calendar) bool {
	dated := false
	if g := s.take(dayName); g != nil {
		c.weekday, dated = 1+indexOf(weekdays, g[1]), true
	}
	switch g := []string(nil); {
	case s.taken(dayWord, &g):
		if strings.EqualFold(g[1], "tomorrow") {
			c.ahead = 1
		}
	case s.taken(monthDay, &g):
		c.month, c.day, c.year = 1+indexOf(months, g[1]), atoi(g[2]), atoi(g[3])
	case s.taken(dayMonth, &g):
		c.day, c.month, c.year = atoi(g[1]), 1+indexOf(months, g[2]), atoi(g[3])
	case s.taken(slashDate, &g):
		c.month, c.day, c.year = atoi(g[1]), atoi(g[2]), atoi(g[3])
	case s.taken(isoDay, &g):
		c.year, c.month, c.day = atoi(g[1]), atoi(g[2]), atoi(g[3])
	default:
		return dated
	}
	return true
}

func (s *scanner) taken(re expression, groups *[]string) bool {
	*groups = s.take(re)
	return *groups != nil
}

// clock takes a time of day. A number alone is none: it could be anything.
func (s *scanner) clock(c *calendar) bool {
	if g := s.take(halfClock); g != nil {
		c.hour, c.minute = atoi(g[1])%12, atoi(g[2])
		if strings.EqualFold(g[3], "p") {
			c.hour += 12
		}
		return true
	}
	if g := s.take(fullClock); g != nil {
		c.hour, c.minute = atoi(g[1]), atoi(g[2])
		return true
	}
	if g := s.take(noonWord); g != nil {
		if strings.EqualFold(g[1], "noon") {
			c.hour = 12
		}
		return true
	}
	return false
}

// next is the first instant after now that c describes, false when now or the
// zone is not known or no such time exists.
func (c calendar) next(m moment) (time.Time, bool) {
	loc, ok := m.location(c.zone)
	if !ok || m.now.IsZero() || !c.possible() {
		return time.Time{}, false
	}
	now := m.now.In(loc)
	year, month, day := now.Date()
	switch {
	case c.month > 0 && c.year > 0:
		return time.Date(c.year, time.Month(c.month), c.day, c.hour, c.minute, 0, 0, loc), true
	case c.month > 0:
		at := time.Date(year, time.Month(c.month), c.day, c.hour, c.minute, 0, 0, loc)
		if at.Before(now) {
			at = time.Date(year+1, time.Month(c.month), c.day, c.hour, c.minute, 0, 0, loc)
		}
		return at, true
	}
	step := 1
	if c.weekday > 0 {
		day += (c.weekday - 1 - int(now.Weekday()) + 7) % 7
		step = 7
	}
	at := time.Date(year, month, day+c.ahead, c.hour, c.minute, 0, 0, loc)
	if !at.After(now) {
		at = time.Date(year, month, day+c.ahead+step, c.hour, c.minute, 0, 0, loc)
	}
	return at, true
}

func (c calendar) possible() bool {
	return c.hour < 24 && c.minute < 60 && c.month <= 12 && c.day <= 31 && (c.month == 0) == (c.day == 0)
}

// offsets are the abbreviations that error texts use and that mean one thing.
var offsets = map[string]int{
	"UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
	"PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "JST": 9,
}

// regions are abbreviations that change their offset over the year.
var regions = map[string]string{
	"PT": "America/Los_Angeles", "MT": "America/Denver", "CT": "America/Chicago", "ET": "America/New_York",
}

var numericZone = lazily(`^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d\d)?$`)

// location is the zone with this name; without a name, the zone of now.
func (m moment) location(name string) (*time.Location, bool) {
	if name == "" {
		return m.now.Location(), true
	}
	if hours, ok := offsets[name]; ok {
		return time.FixedZone(name, hours*3600), true
	}
	if g := numericZone().FindStringSubmatch(name); g != nil {
		seconds := atoi(g[2])*3600 + atoi(g[3])*60
		if g[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds), seconds <= 14*3600 && seconds >= -14*3600
	}
	if region, ok := regions[name]; ok {
		name = region
	}
	if m.zone == nil {
		return nil, false
	}
	loc := m.zone(name)
	return loc, loc != nil
}

// atoi reads digits that a pattern has already checked, "" as 0.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func indexOf(names []string, word string) int {
	word = strings.ToLower(word)
	for i, name := range names {
		if strings.HasPrefix(word, name) {
			return i
		}
	}
	return -1
}
