package recovery

import (
	"strconv"
	"strings"
	"time"
)

// maxReset bounds how far ahead a reset is believed: a week's window and some
// slack. What is longer is a damaged number, or nothing that a run can wait for.
const maxReset = 8 * 24 * time.Hour

// A Zone finds a time zone by its name in the IANA database, nil when it does
// not know it. The package itself reads no files, so the caller hands one in.
type Zone func(name string) *time.Location

// A Reset is when a limit ends, as far as somebody said so.
type Reset struct {
	After *time.Duration // a span, from the moment of the failure
	At    time.Time      // an instant; zero when none was given or now was not known
	Named bool           // a reset was named, even one that could not be read or is not believed
}

// A clock text ("resets 8pm") needs a now to become an instant, and a zone.
type moment struct {
	now  time.Time
	zone Zone
}

// anchors are the words after which a time is the end of a limit, rather than
// any time at all. A form marked bare may be followed by a number without unit.
var anchors = []struct {
	words expression
	bare  time.Duration
}{
	{lazily(`(?i)retry[-_ ]?after[-_ ]?(?:ms|millis|milliseconds)\b["']?\s*[:=]?\s*["']?`), time.Millisecond},
	{lazily(`(?i)(?:retry[-_ ]?after|retry_?delay|resets?[-_](?:in|after))(?:[-_ ]?(?:s|secs?|seconds))?\b["']?\s*[:=]?\s*["']?`), time.Second},
	{lazily(`(?i)\b(?:try|available|allowed|usable|possible)\s+again\s+(?:(?:in|at|after|on|from)\s+)?(?:about\s+|approximately\s+)?`), 0},
	{lazily(`(?i)\bretry\s+(?:in|at)\s+(?:about\s+)?`), time.Second},
	{lazily(`(?i)\bresets?(?:_?at|_time)?\b["']?\s*[:=]?\s*["']?(?:(?:again|to|in|at|after|on|time|date)\b\s*:?\s*)*`), 0},
	{lazily(`(?i)\b(?:replenished|restored|refilled|reinstated|renewed|renews?)\s+(?:(?:in|at|on|after)\s+)?`), 0},
	{lazily(`(?i)\bregain access\s+(?:(?:in|at|after|on)\s+)?`), 0},
	{lazily(`(?i)\bwait\s+(?:for\s+|at\s+least\s+|another\s+|about\s+)*`), 0},
	{lazily(`(?i)\b(?:limited|blocked|exhausted|unavailable|paused)\s+until\s+`), 0},
	{lazily(`(?i)\blimit\s+reached\s*\|\s*`), 0},
}

// ParseReset finds the first time in an error text that says when the limit
// ends: a span ("2 days 17 hours", "6.034s"), seconds or milliseconds after a
// Retry-After, a date, seconds or milliseconds since 1970, or a clock time with
// or without a zone, which is the next one after now. What is negative, past,
// or more than eight days ahead is refused. With a zero now, instants are given
// unchecked, and clock times not at all.
func ParseReset(text string, now time.Time, zone Zone) Reset {
	var named bool
	m := moment{now, zone}
	for _, a := range anchors {
		for _, at := range a.words().FindAllStringIndex(text, 8) {
			if d, ok := countdown(text[at[0]:at[1]], text[at[1]:]); ok {
				return believeAfter(d)
			}
			r := m.read(text[at[1]:], a.bare)
			if r.After != nil || !r.At.IsZero() {
				return r
			}
			named = named || r.Named
		}
	}
	return Reset{Named: named}
}

// ParseRetryAfter reads the value of a Retry-After header: seconds, a date, or
// a span with units.
func ParseRetryAfter(value string, now time.Time) Reset {
	return moment{now, nil}.read(strings.TrimSpace(value), time.Second)
}

// read reads the time that text begins with.
func (m moment) read(text string, bare time.Duration) Reset {
	s := scanner{roughly().ReplaceAllString(clip(text, 100), "")}
	if at, ok := s.instant(); ok {
		return m.believeAt(at)
	}
	if d, ok := s.span(); ok {
		return believeAfter(d)
	}
	if d, ok := s.number(bare); ok {
		return believeAfter(d)
	}
	c, ok := s.calendar()
	if !ok {
		return Reset{Named: vagueReset.in(s.rest)}
	}
	at, ok := c.next(m)
	if !ok {
		return Reset{Named: true}
	}
	return m.believeAt(at)
}

// roughly stands before a time that is not meant to the second.
var roughly = lazily(`(?i)^(?:about|approximately|approx\.?|around|roughly|another|at least|~|≈)\s*`)

// vagueReset is a reset that is promised without a time.
var vagueReset = lazily(`(?i)^(?:tomorrow|tonight|soon|monthly|weekly|daily|hourly|every|next|when (?:your|the))\b`)

func believeAfter(d time.Duration) Reset {
	if d < 0 || d > maxReset {
		return Reset{Named: true}
	}
	return Reset{After: &d, Named: true}
}

func (m moment) believeAt(at time.Time) Reset {
	if !m.now.IsZero() && (at.Before(m.now) || at.Sub(m.now) > maxReset) {
		return Reset{Named: true}
	}
	return Reset{At: at, Named: true}
}

// A scanner takes one kind of time off the front of a text.
type scanner struct{ rest string }

// take removes what re, which is anchored, matches at the front and gives its
// groups.
func (s *scanner) take(re expression) []string {
	groups := re().FindStringSubmatch(s.rest)
	if groups != nil {
		s.rest = s.rest[len(groups[0]):]
	}
	return groups
}

var (
	epoch    = lazily(`^(\d{10}|\d{13})\b`)
	isoDate  = lazily(`^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?`)
	httpDate = lazily(`^(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})`)
)

var httpLayouts = []string{
	"Mon, 2 Jan 2006 15:04:05 GMT",
	"Monday, 02-Jan-06 15:04:05 GMT",
	"Mon Jan _2 15:04:05 2006",
}

// instant takes a time that is complete in itself.
func (s *scanner) instant() (time.Time, bool) {
	if g := s.take(epoch); g != nil {
		return sinceEpoch(g[1])
	}
	if g := s.take(httpDate); g != nil {
		for _, layout := range httpLayouts {
			if t, err := time.Parse(layout, g[0]); err == nil {
				return t, true
			}
		}
	}
	before := s.rest
	if g := s.take(isoDate); g != nil {
		if t, ok := isoTime(g[1], g[2], g[3]); ok {
			return t, true
		}
		s.rest = before
	}
	return time.Time{}, false
}

// sinceEpoch reads seconds (10 digits) or milliseconds (13 digits) since 1970.
func sinceEpoch(digits string) (time.Time, bool) {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}, false
	}
	if len(digits) > 10 {
		return time.UnixMilli(n).UTC(), true
	}
	return time.Unix(n, 0).UTC(), true
}

// isoTime reads a date and a clock; without an offset they are UTC, the only
// zone that machines leave out.
func isoTime(date, clock, offset string) (time.Time, bool) {
	if len(clock) == len("15:04") {
		clock += ":00"
	}
	switch offset {
	case "", "Z", "UTC", "GMT":
		offset = "+00:00"
	default:
		if !strings.Contains(offset, ":") {
			offset = offset[:3] + ":" + offset[3:]
		}
	}
	t, err := time.Parse(time.RFC3339, date+"T"+clock+offset)
	return t, err == nil
}
