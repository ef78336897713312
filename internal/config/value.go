package config

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Bounds of plain numbers: far above any use, far below overflow.
const (
	maxCount  = 1_000_000
	maxTokens = 1_000_000_000_000
)

var (
	whole    = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	decimal  = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	numeric  = regexp.MustCompile(`(?i)^[-+]?(\.?[0-9][0-9a-fox_.:+-]*|\.inf|\.nan)$`)
	envName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	someName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// count reads a plain whole number from low to high.
func count[T int | int64](d *decoder, into *T, low, high int64) reader {
	return func(n node, path string) {
		if !d.is(scalar, n, path) {
			return
		}
		v, err := strconv.ParseInt(n.text, 10, 64)
		switch {
		case !n.plain:
			d.add(path, task.CodeWrongType, "must be a whole number without quotes, is the text %q", task.Clip(n.text))
		case whole.MatchString(n.text) && (err != nil || v < low || v > high):
			d.add(path, task.CodeOutOfRange, "must be from %d to %d, is %s", low, high, task.Clip(n.text))
		case whole.MatchString(n.text):
			*into = T(v)
		case numeric.MatchString(n.text):
			d.add(path, task.CodeNotPlain, "must be a plain whole number, is %s", task.Clip(n.text))
		default:
			d.add(path, task.CodeWrongType, "must be a whole number, is the text %q", task.Clip(n.text))
		}
	}
}

// fraction reads a plain decimal number from low to high.
func (d *decoder) fraction(into *float64, low, high float64) reader {
	return func(n node, path string) {
		if !d.is(scalar, n, path) {
			return
		}
		v, err := strconv.ParseFloat(n.text, 64)
		switch {
		case !n.plain || !decimal.MatchString(n.text) && !numeric.MatchString(n.text):
			d.add(path, task.CodeWrongType, "must be a number without quotes, is the text %q", task.Clip(n.text))
		case !decimal.MatchString(n.text):
			d.add(path, task.CodeNotPlain, "must be a plain number from %v to %v, is %s", low, high, task.Clip(n.text))
		case err != nil || v < low || v > high:
			d.add(path, task.CodeOutOfRange, "must be from %v to %v, is %s", low, high, task.Clip(n.text))
		default:
			*into = v
		}
	}
}

// flag takes the words true and false alone, not the others that YAML knows.
func (d *decoder) flag(into *bool) reader {
	return func(n node, path string) {
		if !d.is(scalar, n, path) {
			return
		}
		if !n.plain || n.text != "true" && n.text != "false" {
			d.add(path, task.CodeWrongType, "must be true or false, is %q", task.Clip(n.text))
			return
		}
		*into = n.text == "true"
	}
}

// quantity reads a text by one of unit's parsers.
func quantity[T any](d *decoder, into *T, parse func(string) (T, error)) reader {
	return func(n node, path string) {
		if !d.is(scalar, n, path) {
			return
		}
		v, err := parse(task.Clip(n.text)) // no quantity is that long; its message should not be either
		if err != nil {
			d.add(path, task.CodeBadValue, "%v", err)
			return
		}
		*into = v
	}
}

func (d *decoder) duration(into *unit.Duration) reader {
	return quantity(d, into, unit.ParseDuration)
}

func (d *decoder) size(into *unit.Size) reader { return quantity(d, into, unit.ParseSize) }

// money wants quotes: without them an editor shows a number, and a number of
// money invites rounding.
func (d *decoder) money(into *unit.Money, least unit.Money) reader {
	read := quantity(d, into, func(s string) (unit.Money, error) {
		m, err := unit.ParseMoney(s)
		if err == nil && m < least {
			err = fmt.Errorf("must be above \"0.00\"")
		}
		return m, err
	})
	return func(n node, path string) {
		if n.kind == scalar && n.plain && decimal.MatchString(n.text) {
			d.add(path, task.CodeWrongType, "money is written in quotes, as \"5.00\"")
			return
		}
		read(n, path)
	}
}

// text reads what is written, also where YAML would see a number, a date or a
// truth in it.
func (d *decoder) text(into *string, checks ...func(string) (code, msg string)) reader {
	return func(n node, path string) {
		if !d.is(scalar, n, path) {
			return
		}
		if strings.TrimSpace(n.text) == "" {
			d.add(path, task.CodeEmptyValue, "must not be empty")
			return
		}
		for _, check := range checks {
			if code, msg := check(n.text); code != "" {
				d.add(path, code, "%s", msg)
				return
			}
		}
		*into = n.text
	}
}

// orNull is read, but null says that there is none.
func orNull(read reader) reader {
	return func(n node, path string) {
		if !n.null() {
			read(n, path)
		}
	}
}

// choice reads one of a few words.
func (d *decoder) choice(into *string, words ...string) reader {
	return d.text(into, func(s string) (code, msg string) {
		for _, word := range words {
			if s == word {
				return "", ""
			}
		}
		msg = fmt.Sprintf("must be one of %s, is %q", strings.Join(words, ", "), task.Clip(s))
		if near, ok := task.Nearest(s, words); ok {
			msg += fmt.Sprintf(", did you mean %q?", near)
		}
		return task.CodeBadValue, msg
	})
}

// texts reads a list of distinct texts.
func (d *decoder) texts(into *[]string, checks ...func(string) (code, msg string)) reader {
	return func(n node, path string) {
		*into = nil
		seen := map[string]bool{}
		d.each(func(_ int, n node, path string) {
			s := ""
			if d.text(&s, checks...)(n, path); s == "" {
				return
			}
			if seen[s] {
				d.add(path, task.CodeDuplicate, "%q is given twice", task.Clip(s))
				return
			}
			seen[s] = true
			*into = append(*into, s)
		})(n, path)
	}
}

// argv reads a command as a list of words. No shell is asked: a line of text
// would have to be split by rules that differ from shell to shell.
func (d *decoder) argv(into *[]string) reader {
	return func(n node, path string) {
		if n.kind == scalar && !n.null() {
			d.add(path, task.CodeWrongType, "must be a list of words such as [go, test, ./...]; a line for the shell is [sh, -c, %q]", task.Clip(n.text))
			return
		}
		if n.kind == list && len(n.items) == 0 {
			d.add(path, task.CodeEmptyValue, "a command needs at least its name")
			return
		}
		var words []string
		d.each(func(i int, n node, path string) {
			switch {
			case !d.is(scalar, n, path):
			case i == 0 && strings.TrimSpace(n.text) == "":
				d.add(path, task.CodeEmptyValue, "a command needs a name")
			default:
				words = append(words, n.text)
			}
		})(n, path)
		if n.kind == list && len(words) == len(n.items) {
			*into = words
		}
	}
}

// hook is argv, where an empty list says that there is none.
func (d *decoder) hook(into *[]string) reader {
	return func(n node, path string) {
		if n.kind == list && len(n.items) == 0 {
			return
		}
		d.argv(into)(n, path)
	}
}

// pattern reads a regular expression that compiles.
func (d *decoder) pattern(into *string) reader {
	return d.text(into, func(s string) (code, msg string) {
		var bad *syntax.Error
		if _, err := regexp.Compile(s); errors.As(err, &bad) {
			return task.CodeBadRegex, fmt.Sprintf("no regular expression (RE2): %s: %s", bad.Code, task.Clip(bad.Expr))
		}
		return "", ""
	})
}
