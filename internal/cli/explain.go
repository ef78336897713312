package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
)

func (a *app) explainCommand() *cobra.Command {
	var left, right int
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Explain why each round ended as it did, and why two count as the same failure or not",
		Long: `explain tells the rule behind each decision and what can be done now, then
compares what was hashed of two rounds that failed: of each and the one before
it, or of those that --from and --to name.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.explain(args[0], left, right) },
	}
	cmd.Flags().IntVar(&left, "from", 0, "compare only the failure of round `N` ...")
	cmd.Flags().IntVar(&right, "to", 0, "... with that of round `M`")
	return cmd
}

// A reasoned is what explain --json prints of a decision.
type reasoned struct {
	Round    int           `json:"round"`
	Decision task.Decision `json:"decision"`
	Reason   task.Reason   `json:"reason"`
	Rule     string        `json:"rule"`
	Because  string        `json:"because"`
	Advice   task.Advice   `json:"advice,omitempty"`
}

// An explained is what explain --json prints for a pair of rounds.
type explained struct {
	Left  int `json:"left_round"`
	Right int `json:"right_round"`
	signature.Explanation
}

func (a *app) explain(id string, left, right int) error {
	h, err := a.history(id)
	if err != nil {
		return err
	}
	if left != 0 || right != 0 {
		p, err := pair(h.State, left, right)
		if err != nil {
			return withCode(exitUsage, err)
		}
		return a.printExplained(p)
	}
	for _, r := range h.State.Rounds {
		if r.Decision.Kind != "" {
			a.printReasoned(r)
		}
	}
	failed := failures(h.State)
	for i := 1; i < len(failed); i++ {
		if err := a.printExplained([2]*round.Round{failed[i-1], failed[i]}); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printReasoned(r *round.Round) {
	d := r.Decision
	if a.json {
		a.printJSON(reasoned{r.N, d.Kind, d.Reason, d.Rule, round.Because(d.Rule), d.Advice})
		return
	}
	fmt.Fprintf(a.stdout, "round %d: %s, %s: %s\n", r.N, d.Kind, d.Reason, round.Because(d.Rule))
	if d.Advice != "" {
		fmt.Fprintf(a.stdout, "  %s\n", d.Advice.InWords())
	}
}

// failures are the rounds that have a signature.
func failures(s round.State) []*round.Round {
	return slices.DeleteFunc(slices.Clone(s.Rounds), func(r *round.Round) bool { return r.Decision.Signature.Hash == "" })
}

// pair finds two rounds that failed.
func pair(s round.State, left, right int) (pair [2]*round.Round, err error) {
	failed := failures(s)
	for side, n := range []int{left, right} {
		i := slices.IndexFunc(failed, func(r *round.Round) bool { return r.N == n })
		if i < 0 {
			return pair, fmt.Errorf("--from and --to name rounds that failed: %s has %d of them", s.Task.ID, len(failed))
		}
		pair[side] = failed[i]
	}
	return pair, nil
}

func (a *app) printExplained(p [2]*round.Round) error {
	e := explained{p[0].N, p[1].N, signature.Explain(p[0].Decision.Signature, p[1].Decision.Signature)}
	if a.json {
		a.printJSON(e)
		return nil
	}
	word := "differ"
	if e.Same {
		word = "are the same failure"
	}
	fmt.Fprintf(a.stdout, "rounds %d and %d %s: %s\n", e.Left, e.Right, word, e.Why)
	w := columns(a.stdout)
	for _, row := range e.Rows {
		mark := "!"
		if row.Same {
			mark = "="
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", mark, row.Where, shorten(row.Left), shorten(row.Right))
	}
	return w.Flush()
}

// shorten keeps a cell to a width that two of them fit beside one another.
func shorten(s string) string {
	const most = 60
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most]) + "..."
	}
	return string(r)
}
