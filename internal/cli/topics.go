package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/recovery"
)

// topics are texts that help shows as it shows those of commands.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "files", Short: "Where everything is", Long: filesTopic},
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitTopic},
		{Use: "recovery", Short: "What is done about which failure", Long: recoveryTopic()},
		{Use: "environment", Short: "Variables that looprun reads, and those that it sets", Long: environmentTopic},
	}
}

const filesTopic = `loop.yaml                             configuration: found in the current directory or above
tasks/inbox/                          drop task files here, or use looprun add
tasks/processing/                     claimed
tasks/done/ blocked/ needs-input/     ended; what is no task is in blocked with a .reason.json
.loop/tasks/ID/journal.jsonl          the record of a task: one line an event, each with the digest of the one before
.loop/tasks/ID/state.json             where it stands
.loop/tasks/ID/plan-round-002.json    what round 2 was told
.loop/tasks/ID/attempts/round-001.json  a round: tries, evidence, decision
.loop/tasks/ID/attempts/round-001/    what the generator was given, raw logs, the patch
.loop/results/ID.json                 how it ended
.loop/events.jsonl                    one line a change, for tail -f; trace_id as in TRACEPARENT
.loop/breakers/                       what is held for all tasks, a file each (looprun breaker list)
.loop/spend.json                      what was spent, in all and by day
.loop/metrics.json                    sums over all tasks (looprun stats)
.loop/preflight/                      which checks can be trusted, by profile and base
.loop/pause                           exists: nothing new is started (looprun pause, resume)
.loop/lock                            held by the instance that runs; never delete it
.loop/owner.json                      who that is
.loop/requests/                       what commands ask of the instance that runs

Everything in .loop but the journals, requests and flags can be made again from them.
Work trees are outside the checkout: in workspace.dir, else in
$XDG_STATE_HOME/looprun or ~/.local/state/looprun.`

const exitTopic = `The first that applies:

128+n  ended by signal n; what was under way is recorded
   74  I/O error; the state is kept
    1  looprun itself failed, or a comparison did not hold (replay)
   64  wrong usage
   78  loop.yaml is not valid; nothing was started
   65  a task file is not valid (add, validate)
   66  no such task
    3  a task was blocked, or a file quarantined
    2  a task needs input
   69  held by a cause that a person must fix; doctor found something bad
  124  the time of wait or --max-time ran out
   75  not now: paused, busy, or everything left is deferred
    0  every task that ended is done, or there was nothing to do`

const environmentTopic = `looprun reads:

  LOOPRUN_CONFIG    the loop.yaml to use, unless --config names one
  PATH              where git, and the commands of loop.yaml, are looked for
  HOME, XDG_STATE_HOME   below which the work trees are
  NOTIFY_SOCKET, WATCHDOG_USEC   the service manager that watch tells how it is
  NO_COLOR, TERM    no colours if the first is set; no cursor movement if the second is dumb
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS   where export otlp sends to

A flag wins over the environment, the environment over loop.yaml, that over what is
built in; looprun config dump shows where each value comes from.

The generator gets the variables of generator.env, and these:

  LOOPRUN_TASK_ID, LOOPRUN_ROUND, LOOPRUN_TRY, LOOPRUN_RUN_ID
  LOOPRUN_PROMPT_FILE, LOOPRUN_REQUEST   what to do, as text and as JSON
  LOOPRUN_PLAN            the plan, from round 2 on
  LOOPRUN_STRATEGY        why it is started again; empty at the first start
  LOOPRUN_MODEL, LOOPRUN_RESUME_ID
  LOOPRUN_REPORT          the file for what it has to say
  LOOPRUN_EFFECTS_FILE    the file for what it does outside, a line an operation
  LOOPRUN_DEADLINE        when it will be ended (RFC 3339, UTC)
  LOOPRUN_IDEMPOTENCY_KEY, TRACEPARENT

Checks get PATH, LANG, a HOME and TMPDIR of their own, and verification.env.`

// recoveryTopic lists the chains as they are built in, so that it can't say
// anything else than what is done.
func recoveryTopic() string {
	var b strings.Builder
	b.WriteString(`A generator that fails by itself is answered by the chain of the failure's category:
each step so often, then the end. If the tree was changed, the checks judge it first.
recovery.chains in loop.yaml changes them, recovery.patterns adds categories.

`)
	chains := recovery.DefaultChains()
	var names []recovery.Category
	for name := range chains {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var steps []string
		for _, s := range chains[name].Steps {
			step := string(s.Strategy)
			if s.Max != recovery.Unbounded {
				step += fmt.Sprintf(" %d", s.Max)
			}
			steps = append(steps, step)
		}
		fmt.Fprintf(&b, "  %-22s %s, then %s\n", name, strings.Join(steps, ", "), chains[name].Then)
	}
	b.WriteString(`
Failed checks are no failure of this kind: the next round gets a new plan with their
evidence, until the same failure comes twice in a row (stop.same_failure_limit) or a
budget is used up. A login that expired, a quota, a missing tool or checks that are
red on the base hold the target, not the task: it costs no round.`)
	return b.String()
}
