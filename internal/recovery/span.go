package recovery

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// spanPart is one number with its unit; a unit may touch the next number, as in
// "1m30s", but not another letter, so that "3 mice" is no span of minutes.
var (
	spanPart = lazily(`(?i)^(-?\d+(?:\.\d+)?)\s*(milliseconds?|millis|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d|weeks?|w)(?:[^a-z]|$)`)
	spanGlue = lazily(`(?i)^(?:\s*,?\s*and\s+|\s*,\s*|\s+)`)
	oneUnit  = lazily(`(?i)^(?:an?|one)\s+(second|minute|hour|day|week)\b`)
	number   = lazily(`^(-?\d+(?:\.\d+)?)(?:[^\w.:/%-]|\.?$|\.\s)`)
)

var units = []struct {
	prefix string
	unit   time.Duration
}{
	{"mil", time.Millisecond}, {"ms", time.Millisecond},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour},
	{"d", 24 * time.Hour}, {"w", 7 * 24 * time.Hour},
}

// span takes a duration in words or in Go's short form.
func (s *scanner) span() (time.Duration, bool) {
	if g := s.take(oneUnit); g != nil {
		return unitOf(g[1]), true
	}
	total, any := time.Duration(0), false
	for {
		g := spanPart().FindStringSubmatch(s.rest)
		if g == nil {
			return total, any
		}
		d, ok := times(g[1], unitOf(g[2]))
		if !ok {
			return maxReset + 1, true
		}
		total, any = addSaturated(total, d), true
		s.rest = s.rest[strings.Index(s.rest, g[2])+len(g[2]):]
		if glued := s.take(spanGlue); glued != nil && !spanPart.in(s.rest) {
			return total, true
		}
	}
}

// inWord ends an anchor after which hours, minutes and seconds are no time of
// day but what is left until then.
var (
	inWord = lazily(`(?i)\bin\s*$`)
	left   = lazily(`^(?:(\d{1,2})\.)?(\d{1,3}):(\d\d):(\d\d)(?:\.\d+)?\b`)
)

// countdown reads what is left, as "01:12:22", or with days "1.01:12:22".
func countdown(anchor, text string) (time.Duration, bool) {
	g := left().FindStringSubmatch(text)
	if g == nil || !inWord.in(anchor) {
		return 0, false
	}
	hours := 24*atoi(g[1]) + atoi(g[2])
	return time.Duration(hours)*time.Hour + time.Duration(atoi(g[3]))*time.Minute + time.Duration(atoi(g[4]))*time.Second, true
}

// number takes a number without a unit, which counts in unit.
func (s *scanner) number(unit time.Duration) (time.Duration, bool) {
	g := number().FindStringSubmatch(s.rest)
	if g == nil || unit == 0 {
		return 0, false
	}
	d, ok := times(g[1], unit)
	if !ok {
		return maxReset + 1, true
	}
	return d, true
}

func unitOf(name string) time.Duration {
	name = strings.ToLower(name)
	for _, u := range units {
		if strings.HasPrefix(name, u.prefix) {
			return u.unit
		}
	}
	return 0
}

// times is digits·unit, false when that is no duration.
func times(digits string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.Abs(f*float64(unit)) > math.MaxInt64/4 {
		return 0, false
	}
	return time.Duration(math.Round(f * float64(unit))), true
}
