package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// A Period is the time that a report is about: from Since on and before Until.
type Period struct{ Since, Until time.Time }

func (p Period) holds(t time.Time) bool { return !t.Before(p.Since) && t.Before(p.Until) }

// A bucket is a part of the period.
type bucket struct {
	From                time.Time
	Done, Asks, Blocked int
	Tries               int
	Cost                unit.Money
	Time                time.Duration
}

// Ended is how many tasks ended in the bucket.
func (b bucket) Ended() int { return b.Done + b.Asks + b.Blocked }

// ParseLength reads the length of a period: a duration as 90m or 24h, or days as
// 7d.
func ParseLength(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > 36500 {
			return 0, fmt.Errorf("%q is no number of days: write it as 7d", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := unit.ParseDuration(text)
	return d.Std(), err
}

// bucket is the one that a time belongs to; those before it are made with it.
func (rep *Report) bucket(at time.Time) *bucket {
	if len(rep.Buckets) == 0 {
		rep.Buckets = buckets(rep.Period)
	}
	i := len(rep.Buckets) - 1
	for i > 0 && at.Before(rep.Buckets[i].From) {
		i--
	}
	return &rep.Buckets[i]
}

// buckets cut a period into hours, days or weeks: as fine as can be looked at.
func buckets(p Period) []bucket {
	next := func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }
	since := p.Since.Local()
	from := time.Date(since.Year(), since.Month(), since.Day(), 0, 0, 0, 0, time.Local)
	switch length := p.Until.Sub(p.Since); {
	case length <= 48*time.Hour:
		next = func(t time.Time) time.Time { return t.Add(time.Hour) }
		from = since.Truncate(time.Hour)
	case length <= 60*24*time.Hour:
		next = func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }
	}
	var all []bucket
	for t := from; t.Before(p.Until); t = next(t) {
		all = append(all, bucket{From: t})
	}
	return all
}
