package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

func (a *app) statsCommand() *cobra.Command {
	var since span
	var policy string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Tell which failures there were, what answered them, and what helped",
		Long: `stats reads the journals: failures by category and what they cost, what each
strategy came to, why tasks stopped. With --policy it decides every recorded step
anew, as that loop.yaml would have had it, and tells which tasks would have ended
otherwise and what that would have saved, as far as the records can tell.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var from time.Time
			if since > 0 {
				from = a.now().Add(-time.Duration(since))
			}
			if policy != "" {
				return a.whatIf(policy, from)
			}
			return a.stats(from)
		},
	}
	cmd.Flags().Var(&since, "since", "only what happened in the last `D`, as 24h")
	cmd.Flags().StringVar(&policy, "policy", "", "compare with what another loop.yaml `FILE` would have decided")
	return cmd
}

// A statistic is what stats --json prints.
type statistic struct {
	Schema string     `json:"schema"`
	Since  *time.Time `json:"since,omitempty"`
	record.Tally
}

func (a *app) stats(since time.Time) error {
	s := statistic{Schema: "looprun.stats/1"}
	if !since.IsZero() {
		s.Since = &since
	}
	err := a.survey(since, func(h record.History) error {
		s.Add(h.Lines, 0, since)
		return nil
	})
	if err != nil {
		return err
	}
	s.Derive()
	if a.json {
		a.printJSON(s)
		return nil
	}
	return a.printStats(s.Tally)
}

// survey visits the journals that have lines from since on. What of a damaged
// one is whole counts.
func (a *app) survey(since time.Time, visit func(record.History) error) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if look.reader == nil {
		return nil
	}
	return look.reader.Survey(since, func(id string, h record.History, err error) error {
		if err != nil {
			a.warn(err.Error())
		}
		if len(h.Lines) == 0 {
			return nil
		}
		return visit(h)
	})
}

func (a *app) printStats(t record.Tally) error {
	w := columns(a.stdout)
	fmt.Fprintf(w, "tasks\t%d claimed, %s\n", t.Tasks[record.Claims], endings(t))
	fmt.Fprintf(w, "tries\t%d, %s, %.1f before a success\n", t.Tries, spentOn(t), t.MeanTries)
	fmt.Fprintf(w, "stopped by the same failure\t%s of the tasks that ended\n", percent(t.SameFailure))
	fmt.Fprintf(w, "handed to a person\t%s of the tasks that ended\n", percent(t.Person))
	fmt.Fprintf(w, "past any retry\t%s of the tries that failed by themselves\n", percent(t.NonRetryable))
	fmt.Fprintf(w, "wasted on a strategy used before\t%d\n", t.Repeats)
	fmt.Fprintf(w, "recoveries\t%d taken, %d helped, %d chains used up, %d aborted\n", t.Steps, t.Recovered, t.Exhausted, t.Aborted)
	if len(t.NeverRed) > 0 {
		fmt.Fprintf(w, "profiles never seen red\t%s\n", strings.Join(t.NeverRed, ", "))
	}
	printFailures(w, t)
	printRecoveries(w, t)
	printCounts(w, "decision by rule", t.Decisions)
	printCounts(w, "end of a task", t.Stops)
	return w.Flush()
}

// endings are how many tasks ended in each way.
func endings(t record.Tally) string {
	var all []string
	for _, d := range []task.Decision{task.Completed, task.Blocked, task.NeedsInput} {
		all = append(all, fmt.Sprintf("%d %s", t.Tasks[string(d)], ending(d)))
	}
	return strings.Join(all, ", ")
}

func spentOn(t record.Tally) string {
	var sum record.Account
	for _, a := range t.Costs {
		sum.Cost += a.Cost
		sum.Unknown += a.Unknown
	}
	if sum.Unknown > 0 {
		return fmt.Sprintf("$%s and %d of unknown cost", sum.Cost, sum.Unknown)
	}
	return "$" + sum.Cost.String()
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

func printFailures(w *tabwriter.Writer, t record.Tally) {
	if len(t.Failures) == 0 {
		return
	}
	fmt.Fprintf(w, "\nfailure\ttimes\ttries\tcost\n")
	for _, c := range record.ByCount(t.Failures) {
		var account record.Account
		if a := t.Costs[string(c)]; a != nil {
			account = *a
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t$%s\n", c, t.Failures[c], account.Tries, account.Cost)
	}
}

func printRecoveries(w *tabwriter.Writer, t record.Tally) {
	if len(t.Recoveries) == 0 {
		return
	}
	fmt.Fprintf(w, "\nrecovery\tof\ttaken\tpassed\tanother failure\tsame failure\n")
	for _, c := range slices.Sorted(maps.Keys(t.Recoveries)) {
		for _, s := range slices.Sorted(maps.Keys(t.Recoveries[c])) {
			o := t.Recoveries[c][s]
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", s, c, o.Attempts, o.Passed, o.Changed, o.Same)
		}
	}
}

func printCounts[K cmp.Ordered](w *tabwriter.Writer, title string, counts map[K]int) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\ttimes\n", title)
	for _, k := range record.ByCount(counts) {
		fmt.Fprintf(w, "%v\t%d\n", k, counts[k])
	}
}
