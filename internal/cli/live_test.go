package cli

import (
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A glass is a terminal of which only what stands on it matters: it knows going
// up, clearing below, and the end of a line.
type glass struct{ lines []string }

func (g *glass) Write(data []byte) (int, error) {
	text := string(data)
	for text != "" {
		if up, rest, ok := strings.Cut(text, "A\x1b[J"); ok && strings.HasPrefix(up, "\x1b[") {
			n := int(up[2] - '0')
			g.lines, text = g.lines[:len(g.lines)-n], rest
			continue
		}
		line, rest, _ := strings.Cut(text, "\n")
		g.lines, text = append(g.lines, line), rest
	}
	return len(data), nil
}

func (g *glass) String() string { return strings.Join(g.lines, "\n") }

func TestTasksUnderWayHaveALineBelowTheOthers(t *testing.T) {
	g := &glass{}
	now := time.Unix(0, 0)
	l := &live{w: g, width: func() (int, bool) { return 60, true }, now: func() time.Time { return now }, rows: map[string]row{}, stop: make(chan struct{})}
	of := func(id string, next round.Kind, try int) round.State {
		return round.State{Task: task.Task{ID: id}, Next: next, Round: 1, Tries: try}
	}
	say := func(line string) func() { return func() { _, _ = g.Write([]byte(line + "\n")) } }

	l.note(of("a", round.Start, 0), round.Event{}, "claimed")
	l.above(say("a claimed"))
	now = now.Add(75 * time.Second)
	l.note(of("long-id", round.Generate, 1), round.Event{}, "generator started, and told to say much more than fits")
	l.above(say("long-id started"))
	want := `a claimed
long-id started
  a        round 1 try 0     1:15  $0.00  claimed
  long-id  round 1 try 1     0:00  $0.00  generator started`
	if got := g.String(); got != want {
		t.Errorf("the terminal shows\n%s\nwant\n%s", got, want)
	}

	l.note(of("a", round.End, 1), round.Event{}, "")
	l.above(say("a  done"))
	l.left("long-id")
	l.above(say("long-id  held"))
	l.close()
	l.close()
	l.above(say("the end"))
	want = "a claimed\nlong-id started\na  done\nlong-id  held\nthe end"
	if got := g.String(); got != want {
		t.Errorf("the terminal shows\n%s\nwant\n%s", got, want)
	}
}

func TestWithoutATerminalNothingIsDrawn(t *testing.T) {
	l := (&app{now: time.Now}).newLive()
	l.note(round.State{Next: round.Start}, round.Event{}, "claimed")
	printed := 0
	l.above(func() { printed++ })
	l.close()
	if printed != 1 || l.drawn != 0 {
		t.Errorf("printed %d times, %d rows; want 1 and none", printed, l.drawn)
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{-1: "0:00", 59 * time.Second: "0:59", 61 * time.Minute: "1:01:00"} {
		if got := elapsed(d); got != want {
			t.Errorf("elapsed(%v) = %q; want %q", d, got, want)
		}
	}
}
