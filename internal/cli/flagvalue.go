package cli

import (
	"errors"
	"strconv"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// A count is a flag that takes a whole number from 1. What is not given is 0
// and means no limit, so 0 itself must not be given.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "number" }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("give a whole number from 1")
	}
	*c = count(n)
	return nil
}

// A span is a flag that takes a duration above zero, written as in loop.yaml.
type span time.Duration

func (s *span) Type() string { return "duration" }

func (s *span) String() string {
	if *s == 0 {
		return ""
	}
	return unit.Duration(*s).String()
}

func (s *span) Set(text string) error {
	d, err := unit.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("give a duration above zero, as 90s, 30m or 2h")
	}
	*s = span(d)
	return nil
}

// A choice is a flag that takes one of a few words.
type choice struct {
	word  string
	words []string
}

func (c *choice) String() string { return c.word }
func (c *choice) Type() string   { return "word" }

func (c *choice) Set(text string) error {
	for _, w := range c.words {
		if text == w {
			c.word = text
			return nil
		}
	}
	return errors.New("give one of " + enumerate(c.words))
}

// enumerate lists words as a sentence does.
func enumerate(words []string) string {
	text := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			text += " or "
		default:
			text += ", "
		}
		text += w
	}
	return text
}
