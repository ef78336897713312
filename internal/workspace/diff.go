package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// countTime bounds the counting of lines: a file can be made for which it
// takes for ever. Above it every line of a changed file counts.
const countTime = 20 * time.Second

// changes lists in what two trees differ, with line counts that no attribute
// of the tree has a say in.
func (s *Space) changes(ctx context.Context, from, to string) ([]Change, error) {
	limit := countTime
	if s.count > 0 {
		limit = s.count
	}
	out, err := s.git.run(ctx, call{gitDir: s.ctl.count, wall: limit, args: append(diffTree("--raw", "--numstat"), from, to)})
	slow := timedOut(err)
	if slow {
		out, err = s.git.run(ctx, call{gitDir: s.ctl.count, args: append(diffTree("--raw"), from, to)})
	}
	if err != nil {
		return nil, err
	}
	changes, err := parseDiff(out)
	if err != nil {
		return nil, err
	}
	if err := s.describe(changes, slow); err != nil {
		return nil, err
	}
	return changes, nil
}

func diffTree(args ...string) []string {
	return append([]string{"diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"}, args...)
}

func timedOut(err error) bool {
	var e *gitError
	return errors.As(err, &e) && e.Ended == "timeout"
}

var errDiff = errors.New("answer of git diff-tree not understood")

// parseDiff reads raw records, each ":oldmode newmode oldid newid S" NUL path
// NUL, and the "added TAB deleted TAB path" NUL records that follow them.
func parseDiff(out []byte) ([]Change, error) {
	var all []Change
	at := map[string]int{}
	for len(out) > 0 {
		line, rest, ok := cutZero(out)
		if !ok {
			return nil, errDiff
		}
		out = rest
		if strings.HasPrefix(line, ":") {
			c, err := parseRaw(line)
			if err != nil {
				return nil, err
			}
			if c.Path, out, ok = cutZero(out); !ok || c.Path == "" {
				return nil, errDiff
			}
			at[c.Path] = len(all)
			all = append(all, c)
			continue
		}
		if err := parseCount(line, all, at); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func cutZero(b []byte) (string, []byte, bool) {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return "", b, false
	}
	return string(b[:i]), b[i+1:], true
}

func parseRaw(line string) (Change, error) {
	f := strings.Fields(strings.TrimPrefix(line, ":"))
	if len(f) != 5 || len(f[4]) < 1 {
		return Change{}, errDiff
	}
	from, err1 := strconv.ParseUint(f[0], 8, 32)
	to, err2 := strconv.ParseUint(f[1], 8, 32)
	if err1 != nil || err2 != nil {
		return Change{}, errDiff
	}
	return Change{OldMode: uint32(from), NewMode: uint32(to), OldID: f[2], NewID: f[3], Status: f[4][0]}, nil
}

func parseCount(line string, all []Change, at map[string]int) error {
	f := strings.SplitN(line, "\t", 3)
	if len(f) != 3 {
		return errDiff
	}
	i, ok := at[f[2]]
	if !ok {
		return fmt.Errorf("count of %q without a change: %w", f[2], errDiff)
	}
	if f[0] == "-" { // git itself takes what is over 512 MiB for binary
		all[i].Binary = true
		return nil
	}
	added, err1 := strconv.Atoi(f[0])
	deleted, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil {
		return errDiff
	}
	all[i].Added, all[i].Deleted = added, deleted
	return nil
}

// describe fills in what git did not say: the sizes, and line counts where
// counting took too long.
func (s *Space) describe(changes []Change, count bool) error {
	for i := range changes {
		c := &changes[i]
		if c.NewMode != 0 && c.NewMode&kindMask != kindModule {
			b, err := s.blob(c.NewID)
			if err != nil {
				return fmt.Errorf("read %q: %w", c.Path, err)
			}
			c.Size, c.Binary = b.size, b.binary
			if count {
				c.Added = b.lines
			}
		}
		if count && c.OldMode != 0 && c.OldMode&kindMask != kindModule {
			b, err := s.blob(c.OldID)
			if err != nil {
				return fmt.Errorf("read %q: %w", c.Path, err)
			}
			c.Deleted = b.lines
		}
	}
	return nil
}
