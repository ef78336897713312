package round

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A script is a host whose world is written down: one line a try, played in
// order. It keeps the journal, so that it can be stopped and built anew.
type script struct {
	tries    []scripted
	now      time.Time
	cancel   int // before this decision, counted from 1
	pause    int // before this start
	consults []Consulted
	refuses  int // landings that fail, before one succeeds
	starts   int
	decided  int
	journal  []Event
	stopAt   int  // the host dies when so many events are recorded; 0: never
	healed   bool // whatever held a target, another task's start has shown that it works again
	clockOff time.Duration
}

// A scripted try is what the generator does and what the checks then say.
type scripted struct {
	try     Try
	verdict Evidence
}

var errStopped = errors.New("stopped by the test")

func (h *script) Facts(_ struct{}, s State) (Facts, error) {
	f := Facts{Now: h.now.Add(h.clockOff)}
	f.Pause = s.Next == Start && h.pause > 0 && s.Tries+1 == h.pause
	f.Probe = s.Next == Start && s.Decision.Kind == task.Held && !h.healed
	if s.Next == Decide {
		h.decided++
		f.Cancel = h.cancel == h.decided
	}
	return f, nil
}

func (h *script) Preflight(struct{}, State) (PreflightResult, error) { return PreflightResult{}, nil }

// Generate plays the line of the try under way. A line that was begun before a
// stop counts as a start, like any other.
func (h *script) Generate(_ struct{}, s State) (Try, error) {
	h.starts++
	if s.Tries > len(h.tries) {
		return Try{}, fmt.Errorf("try %d: the script has only %d", s.Tries, len(h.tries))
	}
	t := h.tries[s.Tries-1].try
	t.N, t.Strategy, t.Mode, t.Model = s.Tries, s.Request.Strategy, s.Request.Mode, s.Request.Model
	return t, nil
}

func (h *script) Verify(_ struct{}, s State) (Evidence, error) {
	e := h.tries[s.Tries-1].verdict
	if e.Infra && s.Judged { // the environment is back when it is looked at again
		e = passing()
	}
	e.Tree = s.Try.Candidate.Tree
	return e, nil
}

func (h *script) Wait(_ struct{}, s State) (bool, error) {
	h.now = s.NotBefore
	return true, nil
}

// Consult answers the nth question with the nth line "consult ..." of the case.
func (h *script) Consult(struct{}, State) (Consulted, error) {
	if len(h.consults) == 0 {
		return Consulted{}, errors.New("the script has no more answers of commands")
	}
	c := h.consults[0]
	h.consults = h.consults[1:]
	return c, nil
}

func (h *script) Observe(struct{}, State) (Observed, error) {
	return Observed{}, errors.New("not scripted")
}
func (h *script) Compensate(struct{}, State) (Observed, error) {
	return Observed{}, errors.New("not scripted")
}
func (h *script) Land(_ struct{}, s State) (Landed, error) {
	if h.refuses > 0 {
		h.refuses--
		return Landed{Mode: s.Policy.Land, Reason: task.LandFailed, Detail: "the branch is in the way"}, nil
	}
	return Landed{Mode: s.Policy.Land, Commit: s.Try.Candidate.Commit}, nil
}
func (h *script) Finish(struct{}, State) (Finished, error) { return Finished{Workspace: "reset"}, nil }

func (h *script) Record(_ struct{}, events ...Event) error {
	for _, e := range events {
		if h.stopAt > 0 && len(h.journal) >= h.stopAt {
			return errStopped
		}
		h.journal = append(h.journal, e)
	}
	return nil
}

// run plays the task to its end, or to a pause.
func (h *script) run(s State) (State, error) {
	for s.Next != End {
		before := len(h.journal)
		var err error
		if s, err = Play(struct{}{}, s, h); err != nil {
			return s, err
		}
		if len(h.journal) == before {
			return s, nil // paused
		}
	}
	return s, nil
}

func claimEvent(p Policy) Event {
	return Event{Kind: Claim, Claimed: &Claimed{Task: task.Task{ID: "t1", Goal: "g", Verify: []string{"unit"}}, Policy: p, At: noon}}
}

// parse reads the lines of a case into a policy and a script.
func parse(lines []string) (Policy, *script, error) {
	p, h := testPolicy(), &script{now: noon}
	p.Deadline = unit.Duration(24 * time.Hour)
	for _, line := range lines {
		words := strings.Fields(line)
		var err error
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "limits":
			err = limits(&p, words[1:])
		case words[0] == "chain": // category, then steps
			own(&p, recovery.Category(words[1]), words[2:])
		case words[0] == "consult":
			h.consults = append(h.consults, answerOf(words[1], strings.Join(words[2:], " ")))
		case words[0] == "landing": // fails N times
			h.refuses, err = strconv.Atoi(words[2])
		case words[0] == "cancel":
			h.cancel, err = strconv.Atoi(words[2])
		case words[0] == "pause":
			h.pause, err = strconv.Atoi(words[3])
		case words[0] == "healed":
			h.healed = true
		case words[0] == "try":
			var one scripted
			one, err = parseTry(len(h.tries)+1, words[1:])
			h.tries = append(h.tries, one)
		default:
			err = fmt.Errorf("unknown word %q", words[0])
		}
		if err != nil {
			return p, h, fmt.Errorf("%s: %w", line, err)
		}
	}
	return p, h, nil
}

// own gives a category a chain of single steps; x- strategies are defined.
func own(p *Policy, c recovery.Category, steps []string) {
	chain := recovery.Chain{Then: recovery.ThenBlock}
	for _, name := range steps {
		st := recovery.Strategy(name)
		chain.Steps = append(chain.Steps, recovery.Step{Strategy: st, Max: 1, Message: "as loop.yaml says"})
		if strings.HasPrefix(name, "x-") {
			if p.Strategies == nil {
				p.Strategies = map[recovery.Strategy]Command{}
			}
			p.Strategies[st] = Command{Run: []string{name}}
		}
	}
	p.Chains[c] = chain
}

func answerOf(status, words string) Consulted {
	if status == "fault" {
		return Consulted{Fault: words}
	}
	return Consulted{Status: status, Reason: words, Inject: words}
}

func limits(p *Policy, words []string) error {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		switch name {
		case "rounds":
			p.MaxRounds = n
		case "tries":
			p.MaxTries = n
		case "same-failure":
			p.SameFailure = n
		case "models":
			p.Models = p.Models[:n]
		case "resume":
			p.Resume = n > 0
		default:
			return fmt.Errorf("unknown limit %q", name)
		}
	}
	return nil
}

// parseTry reads "changed timeout -> fail A": what the generator did, then what
// the checks said.
func parseTry(n int, words []string) (scripted, error) {
	tree := "tree" + strconv.Itoa(n)
	one := scripted{try: Try{
		Ended: "exit", SessionID: "s1",
		Candidate: Candidate{Tree: tree, Commit: "c" + strconv.Itoa(n), Changed: []Change{{Path: "a.go", Status: "M"}}},
		Failure:   recovery.Failure{Category: recovery.None},
	}}
	generator, verdict := words, []string(nil)
	if i := slices.Index(words, "->"); i >= 0 {
		generator, verdict = words[:i], words[i+1:]
	}
	for _, w := range generator {
		name, value, has := strings.Cut(w, "=")
		switch {
		case w == "changed":
		case w == "unchanged":
			one.try.Candidate = Candidate{Tree: "base"}
		case has && name == "tree":
			one.try.Candidate.Tree = value
		case has && name == "retry-after":
			d, err := time.ParseDuration(value)
			if err != nil {
				return one, err
			}
			one.try.Failure.RetryAfter = &d
		case has && name == "says":
			one.try.Failure.Detail, one.try.Question = value, value
		case recovery.KnownCategory(recovery.Category(w)):
			one.try.Failure.Category = recovery.Category(w)
		default:
			return one, fmt.Errorf("unknown word %q", w)
		}
	}
	var err error
	one.verdict, err = parseVerdict(verdict)
	return one, err
}

func parseVerdict(words []string) (Evidence, error) {
	if len(words) == 0 {
		return Evidence{}, nil
	}
	switch rest := words[1:]; words[0] {
	case "pass":
		return passing(), nil
	case "fail":
		var e Evidence
		for _, detail := range rest {
			e.Checks = append(e.Checks, failing(detail).Checks...)
		}
		return e, nil
	case "boundary":
		return Evidence{Boundary: []signature.BoundaryError{{Code: rest[0], Path: "x"}}}, nil
	case "infra":
		e := failing("connection refused")
		e.Infra = true
		return e, nil
	}
	return Evidence{}, fmt.Errorf("unknown verdict %q", words[0])
}

// transcript tells what was decided, in the order in which it was.
func transcript(journal []Event) string {
	var out strings.Builder
	var s State
	for _, e := range journal {
		before := s
		s = s.Apply(e)
		switch e.Kind {
		case Decide:
			d := *e.Decision
			fmt.Fprintf(&out, "round %d try %d: %s: %s", before.Round, before.Tries, d.Kind, d.Reason)
			if d.Strategy != "" {
				fmt.Fprintf(&out, ": %s", strings.TrimSpace(string(d.Strategy)+" "+d.Mode))
			}
			if d.Delay > 0 {
				fmt.Fprintf(&out, ", waits %s", d.Delay)
			}
			if d.Reason == task.RecoveryAborted {
				fmt.Fprintf(&out, ": %s", d.Detail)
			}
			if d.Kind == task.Held {
				fmt.Fprintf(&out, ", until %s", d.NotBefore.Format("15:04"))
			}
			if d.Trend != "" && d.Trend != signature.First {
				fmt.Fprintf(&out, ", %s", d.Trend)
			}
			if d.Ends() && d.Kind != task.Completed {
				fmt.Fprintf(&out, " (%s)", d.Advice)
			}
			out.WriteString("\n")
		}
	}
	if s.Next != End {
		fmt.Fprintf(&out, "left at %s of round %d\n", s.Next, s.Round)
	}
	fmt.Fprintf(&out, "%d starts\n", s.Tries)
	return out.String()
}
