package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"looprun.dev/looprun/internal/round"
)

// A Chain is a journal that no file holds yet: its lines, and the bytes that
// they will have in the file. It is a value, and nothing of it touches the
// world, so that a host which keeps its state elsewhere can have one.
type Chain struct {
	content
	text []byte
}

// ParseChain reads the bytes of a journal, all of which must be whole.
func ParseChain(text []byte) (Chain, error) {
	c, whole, err := parse(text)
	if err == nil && whole < len(text) {
		err = fmt.Errorf("line %d: %w: it is torn", len(c.lines)+1, ErrDamaged)
	}
	return Chain{content: c, text: text}, err
}

// Append returns c with more lines. c itself stays as it was, as long as only
// the newest of a line of chains is appended to.
func (c Chain) Append(at time.Time, events ...round.Event) (Chain, error) {
	for _, e := range events {
		l := Line{Seq: len(c.lines) + 1, Prev: c.head, At: at.UTC(), Event: e}
		raw, err := l.encode()
		if err != nil {
			return c, err
		}
		c.content, c.text = c.with(l, raw[:len(raw)-1]), append(c.text, raw...)
	}
	return c, nil
}

// State is the fold of all events.
func (c Chain) State() round.State { return c.state }

// Head is the digest of the last line.
func (c Chain) Head() string { return c.head }

// Lines are all lines so far. They must not be changed.
func (c Chain) Lines() []Line { return c.lines }

// Text is the journal as a file holds it. It must not be changed.
func (c Chain) Text() []byte { return c.text }

// Extend opens the journal of a task and makes it the lines of text, which must
// be those that it has and more. Its error is ErrDamaged for a journal that went
// another way; that is left as it is.
func (s *Store) Extend(id string, text []byte) (*Journal, error) {
	return s.lay(id, text, func(*Journal, []byte) error {
		return fmt.Errorf("extend journal of %s: %w: it has other lines", id, ErrDamaged)
	})
}

// Mirror opens the journal of a task and makes it the lines of text, whatever
// it was: text is the truth, and the file a copy. A copy that went another way
// is set aside.
func (s *Store) Mirror(id string, text []byte) (*Journal, error) {
	return s.lay(id, text, func(j *Journal, have []byte) error {
		if err := j.dir.Replace(aside(j.dir, journalFile+".other"), have); err != nil {
			return err
		}
		j.content = content{}
		return j.log.Truncate(0)
	})
}

// lay appends to a journal what text has more. other is asked where the two do
// not go together.
func (s *Store) lay(id string, text []byte, other func(j *Journal, have []byte) error) (*Journal, error) {
	whole, err := ParseChain(text)
	if err != nil {
		return nil, fmt.Errorf("journal of %s: %w", id, err)
	}
	if _, err := s.note(id); err != nil {
		return nil, err
	}
	if err := s.tasks.Mkdir(id); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make record of %s: %w", id, err)
	}
	j, err := s.open(id)
	if err != nil {
		return nil, err
	}
	have, err := readJournal(j.dir)
	if err == nil && !bytes.HasPrefix(text, have) {
		err, have = other(j, have), nil
	}
	if err == nil {
		err = j.take(whole, text[len(have):])
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// take makes j the chain c, of which the file lacks rest.
func (j *Journal) take(c Chain, rest []byte) error {
	if len(rest) == 0 {
		return nil
	}
	if err := j.log.Write(rest); err != nil {
		return fmt.Errorf("append to journal of %s: %w", j.ID, err)
	}
	at := j.content
	for _, l := range c.lines[len(j.lines):] {
		raw, err := l.encode()
		if err != nil {
			return err
		}
		at = at.with(l, raw[:len(raw)-1])
		j.untold = append(j.untold, newEventView(l, at.head, at.state))
	}
	j.content = c.content
	return nil
}
