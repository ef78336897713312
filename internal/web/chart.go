package web

import (
	"fmt"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// A chart is a row of stacked columns. Its text says what its shapes show, and
// a table beside it has the numbers.
type chart struct {
	ID, Title string
	Text      string // what it shows, in a sentence
	Columns   []chartColumn
	Keys      []chartKey
	Top       string // the value of the upper line
	First     string // the labels below
	Last      string
}

// A chartKey names what a class of shapes is.
type chartKey struct{ Class, Word string }

// A chartColumn is one bucket.
type chartColumn struct {
	Label  string
	Blocks []chartBlock
}

// A chartBlock is a part of a column, in the units of the drawing.
type chartBlock struct {
	Class               string
	X, Y, Width, Height float64
	Text                string
}

// The drawing's size.
const (
	chartWidth  = 300.0
	chartHeight = 84.0
)

// part is what one bucket has of one class.
type part struct {
	class, word string
	value       float64
	text        string
}

// draw lays the parts of all buckets out as columns.
func draw(id, title string, all []bucket, parts func(bucket) []part, top func(float64) string) chart {
	c := chart{ID: id, Title: title}
	most := 0.0
	for _, b := range all {
		sum := 0.0
		for _, p := range parts(b) {
			sum += p.value
		}
		most = max(most, sum)
	}
	if len(all) == 0 {
		return c
	}
	layout := labelLayout(all)
	pitch := chartWidth / float64(len(all))
	width := min(pitch*0.8, 36)
	for i, b := range all {
		col := chartColumn{Label: b.From.Format(layout)}
		y := chartHeight
		for _, p := range parts(b) {
			if p.value == 0 {
				continue
			}
			h := p.value / most * (chartHeight - 4)
			y -= h
			col.Blocks = append(col.Blocks, chartBlock{p.class, float64(i)*pitch + (pitch-width)/2, y, width, h, col.Label + ": " + p.text + " " + p.word})
		}
		c.Columns = append(c.Columns, col)
	}
	c.First, c.Last = c.Columns[0].Label, c.Columns[len(all)-1].Label
	if c.Top = top(most); most == 0 {
		c.Top = ""
	}
	for _, p := range parts(all[0]) {
		c.Keys = append(c.Keys, chartKey{p.class, p.word})
	}
	return c
}

func labelLayout(all []bucket) string {
	if len(all) > 1 && all[1].From.Sub(all[0].From) < 20*time.Hour {
		return "Jan 2 15:04"
	}
	return "Jan 2"
}

// Charts are those of the report.
func (rep Report) Charts() []chart {
	outcomes := draw("outcomes", "Tasks that ended", rep.Buckets, func(b bucket) []part {
		return []part{
			{"done", "done", float64(b.Done), count(b.Done)},
			{"asks", "needs input", float64(b.Asks), count(b.Asks)},
			{"blocked", "blocked", float64(b.Blocked), count(b.Blocked)},
		}
	}, func(v float64) string { return count(int(v)) })
	outcomes.Text = fmt.Sprintf("%s ended: %s done, %s need input, %s blocked.", plural(rep.AllEnded(), "task"),
		count(rep.Ended("completed")), count(rep.Ended("needs_input")), count(rep.Ended("blocked")))
	times := draw("time", "Time of generator and checks", rep.Buckets, func(b bucket) []part {
		return []part{{"work", "of generator and checks", b.Time.Seconds(), span(b.Time)}}
	}, func(v float64) string { return span(time.Duration(v * float64(time.Second))) })
	times.Text = span(rep.Spent.Generator) + " of generators, " + span(rep.Spent.Checks) + " of checks."
	cost := draw("cost", "Cost", rep.Buckets, func(b bucket) []part {
		return []part{{"wait", "spent", float64(b.Cost), money(b.Cost)}}
	}, func(v float64) string { return money(unit.Money(v)) })
	cost.Text = money(rep.Spent.Cost) + " spent on " + plural(rep.Spent.Tries, "try") + "."
	return []chart{outcomes, times, cost}
}
