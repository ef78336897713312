package round

import "fmt"

// A Host does as the core says, in the world that the core does not know. Ctx
// is whatever it calls a context.
type Host[Ctx any] interface {
	// Facts tells what the core may not fetch for itself. Before a start it also
	// makes the work tree what s.Request asks for, or says what is in the way.
	Facts(Ctx, State) (Facts, error)
	// Preflight runs the checks on the base, before the first start.
	Preflight(Ctx, State) (PreflightResult, error)
	// Generate runs one try as s.Request says and returns once no process of it
	// is left and its candidate is a commit.
	Generate(Ctx, State) (Try, error)
	// Verify judges the candidate of s.Try. It bears repeating.
	Verify(Ctx, State) (Evidence, error)
	// Wait returns true when s.NotBefore has come or the task was cancelled,
	// false where the wait is left to a later pass.
	Wait(Ctx, State) (bool, error)
	// Consult asks the command that loop.yaml names for the strategy of
	// s.Decision. A command that fails is an answer, not an error.
	Consult(Ctx, State) (Consulted, error)
	// Observe looks whether the operation of s.Decision happened.
	Observe(Ctx, State) (Observed, error)
	// Compensate undoes the operation of s.Decision.
	Compensate(Ctx, State) (Observed, error)
	// Land hands the accepted candidate over. It bears repeating.
	Land(Ctx, State) (Landed, error)
	// Finish leaves the workspace as the task's end asks for. It bears repeating.
	Finish(Ctx, State) (Finished, error)
	// Record makes events durable, all or none, before it returns.
	Record(Ctx, ...Event) error
}

// Play takes s from the step that comes next to the end of the try: until the
// generator is to be started once more, a wait is left to a later pass, or the
// task is finished. Each step is recorded before the next one that touches the
// world, so after a crash Play goes on with the step that was under way.
//
// At a start Play returns s unchanged where the facts say that looprun is
// paused, or not ready.
func Play[Ctx any](ctx Ctx, s State, host Host[Ctx]) (State, error) {
	var unrecorded []Event
	for {
		e := Event{Kind: s.Next}
		var err error
		switch s.Next {
		case Preflight:
			e.Preflight, err = ask(host.Preflight, ctx, s)
		case Start: // burns the try, whatever follows
			e.Facts, err = ask(host.Facts, ctx, s)
			if err == nil && !e.Facts.Cancel && (e.Facts.Pause || e.Facts.Unready != "") {
				return s, nil
			}
			if d, refused := refuse(s, deref(e.Facts)); err == nil && refused {
				e.Kind, e.Decision = Decide, &d
			}
		case Generate: // ends with the snapshot and the candidate's commit
			e.Try, err = ask(host.Generate, ctx, s)
		case Verify:
			e.Evidence, err = ask(host.Verify, ctx, s)
		case Decide:
			e.Facts, err = ask(host.Facts, ctx, s)
			d := decide(s, deref(e.Facts))
			e.Decision = &d
		case Wait:
			var over bool
			if over, err = host.Wait(ctx, s); err == nil && !over {
				return s, nil
			}
			if err == nil {
				e.Facts, err = ask(host.Facts, ctx, s)
			}
		case Consult:
			e.Consulted, err = ask(host.Consult, ctx, s)
		case Observe:
			e.Observed, err = ask(host.Observe, ctx, s)
		case Compensate:
			e.Observed, err = ask(host.Compensate, ctx, s)
		case Land: // idempotent
			e.Landed, err = ask(host.Land, ctx, s)
		case Finish: // the commit point of the task
			e.Finished, err = ask(host.Finish, ctx, s)
		case End:
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("round %d: %s: %w", s.Round, s.Next, err)
		}
		unrecorded = append(unrecorded, e)
		if s = s.Apply(e); quiet(e.Kind, s) {
			continue
		}
		if err := host.Record(ctx, unrecorded...); err != nil {
			return s, fmt.Errorf("round %d: record %s: %w", s.Round, e.Kind, err)
		}
		if unrecorded = nil; s.Next == Start {
			return s, nil
		}
	}
}

// quiet reports that the step after one of kind done touches nothing outside,
// so that both can be recorded by one write: a verdict with its decision, a
// decision with the end of the task. What a generator did is always recorded
// at once.
func quiet(done Kind, s State) bool {
	return done == Verify && s.Next == Decide || done == Decide && s.Next == Finish
}

// ask calls one question of the host.
func ask[Ctx, T any](question func(Ctx, State) (T, error), ctx Ctx, s State) (*T, error) {
	answer, err := question(ctx, s)
	return &answer, err
}

func deref(f *Facts) Facts { return *f }
