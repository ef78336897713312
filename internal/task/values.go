package task

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// Bounds of plain numbers: far above any use, far below overflow.
const (
	maxCount    = 1_000_000
	maxTokens   = 1_000_000_000_000
	maxPriority = 1_000_000
)

// A check says what is wrong with a text, as a code and words.
type check func(s string) (code, msg string)

// filled reads a string that says something.
func (d *document) filled(s *string) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(stringKind, v, at) {
			return
		}
		if strings.TrimSpace(v.text) == "" {
			d.add(v.start, CodeEmptyValue, at, "must say something")
		}
		*s = v.text
	}
}

// title reads a string of one line: it becomes the subject of a commit, where
// a second line could pass for a trailer.
func (d *document) title(s *string) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(stringKind, v, at) {
			return
		}
		if strings.ContainsAny(v.text, "\n\r\v\f\u0085\u2028\u2029") {
			d.add(v.start, CodeBadValue, at, "must be one line: longer text belongs in goal")
		}
		*s = v.text
	}
}

func (d *document) schema(s *string) func(value, *trail) {
	return func(v value, at *trail) {
		if d.is(stringKind, v, at) && v.text != Schema {
			d.add(v.start, CodeBadValue, at, "%q is no schema of a task: write %q or leave it out", Clip(v.text), Schema)
		}
		*s = v.text
	}
}

// id reads the task's name. It must be the file's as well, since the name is
// what stages and records go by.
func (d *document) id(s *string) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(stringKind, v, at) {
			return
		}
		if code, msg := CheckID(v.text); code != "" {
			d.add(v.start, code, at, "%s", msg)
		} else if v.text != d.stem {
			d.add(v.start, CodeIDNotStem, at, "the id is %q, but the file is %s.json: they must be equal", v.text, fieldName(d.stem))
		}
		*s = v.text
	}
}

// checkAfter refuses the shortest cycle; longer ones show in the queue only.
func (d *document) checkAfter(s string) (code, msg string) {
	if s == d.stem {
		return CodeCycle, "a task cannot come after itself"
	}
	return CheckID(s)
}

// list reads distinct strings that are not empty.
func (d *document) list(into *[]string, ok check) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(listKind, v, at) {
			return
		}
		seen := make(map[string]int, len(v.items))
		for i, item := range v.items {
			here := &trail{up: at, index: i}
			if !d.is(stringKind, item, here) {
				continue
			}
			d.item(item, here, ok)
			if first, twice := seen[item.text]; twice {
				d.add(item.start, CodeDuplicate, here, "%q is given twice, first as item %d", Clip(item.text), first)
				continue
			}
			seen[item.text] = i
			*into = append(*into, item.text)
		}
	}
}

func (d *document) item(v value, at *trail, ok check) {
	if strings.TrimSpace(v.text) == "" {
		d.add(v.start, CodeEmptyValue, at, "must not be empty")
		return
	}
	if ok == nil {
		return
	}
	if code, msg := ok(v.text); code != "" {
		d.add(v.start, code, at, "%s", msg)
	}
}

// allow reads globs. An empty list is refused: read as "nothing" it would
// make every task fail, read as "no limit" it would be the opposite.
func (d *document) allow(into *[]string) func(value, *trail) {
	read := d.list(into, checkGlob)
	return func(v value, at *trail) {
		if v.kind == listKind && len(v.items) == 0 {
			d.add(v.start, CodeEmptyValue, at, "an empty list allows nothing: leave it out to allow what loop.yaml allows")
		}
		read(v, at)
	}
}

func checkGlob(s string) (code, msg string) {
	if strings.HasPrefix(s, "!") {
		return CodeBadGlob, fmt.Sprintf("%q: only loop.yaml can lift a protection", Clip(s))
	}
	return CheckGlob(s)
}

// integer reads a plain whole number from low to high.
func integer[T int | int64](d *document, into *T, low, high int64) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(numberKind, v, at) {
			return
		}
		if strings.ContainsAny(v.text, ".eE") {
			d.add(v.start, CodeNotPlain, at, "must be a plain whole number, is %s", Clip(v.text))
			return
		}
		n, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || n < low || n > high {
			d.add(v.start, CodeOutOfRange, at, "must be from %d to %d, is %s", low, high, Clip(v.text))
		}
		*into = T(n)
	}
}

// quantity reads a string by one of unit's parsers.
func quantity[T ~int64](d *document, into *T, parse func(string) (T, error)) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(stringKind, v, at) {
			return
		}
		n, err := parse(Clip(v.text)) // no quantity is that long; its message should not be either
		if err != nil {
			d.add(v.start, CodeBadValue, at, "%v", err)
		}
		*into = n
	}
}

func (d *document) duration(into *unit.Duration) func(value, *trail) {
	return quantity(d, into, unit.ParseDuration)
}

func (d *document) size(into *unit.Size) func(value, *trail) {
	return quantity(d, into, unit.ParseSize)
}

func (d *document) money(into *unit.Money) func(value, *trail) {
	return quantity(d, into, func(s string) (unit.Money, error) {
		m, err := unit.ParseMoney(s)
		if err == nil && m == 0 {
			err = errors.New("must be above \"0.00\"")
		}
		return m, err
	})
}

// rfc3339 holds what time.Parse leaves open: two digits everywhere.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$`)

func (d *document) time(into *time.Time) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(stringKind, v, at) {
			return
		}
		t, err := time.Parse(time.RFC3339, v.text)
		t = t.UTC()
		if err != nil || !rfc3339.MatchString(v.text) || t.Year() < 1970 || t.Year() > 9999 {
			d.add(v.start, CodeBadValue, at, "%q is not a time of RFC 3339: write it as \"2026-12-01T02:00:00Z\"", Clip(v.text))
		}
		*into = t
	}
}
