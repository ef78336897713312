package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

func (a *app) explainCommand() *cobra.Command {
	var left, right int
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Show side by side why two rounds count as the same failure, or not",
		Long:  `explain compares what was hashed of two rounds: by default of each round and the one before it.`,
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.explain(args[0], left, right) },
	}
	cmd.Flags().IntVar(&left, "from", 0, "compare the failure of round `N` ...")
	cmd.Flags().IntVar(&right, "to", 0, "... with that of round `M`")
	return cmd
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
	pairs, err := pairs(h.State, left, right)
	if err != nil {
		return withCode(exitUsage, err)
	}
	for _, p := range pairs {
		e := explained{Left: p[0].N, Right: p[1].N, Explanation: signature.Explain(p[0].Decision.Signature, p[1].Decision.Signature)}
		if a.json {
			a.printJSON(e)
		} else if err := a.printExplained(e); err != nil {
			return err
		}
	}
	return nil
}

// pairs are the rounds to compare: the two that were asked for, else each with
// the one before it.
func pairs(s round.State, left, right int) ([][2]round.Round, error) {
	var failed []round.Round
	for _, r := range s.Rounds {
		if r.Decision.Signature.Hash != "" {
			failed = append(failed, r)
		}
	}
	if left == 0 && right == 0 {
		var all [][2]round.Round
		for i := 1; i < len(failed); i++ {
			all = append(all, [2]round.Round{failed[i-1], failed[i]})
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s has no two rounds that failed", s.Task.ID)
		}
		return all, nil
	}
	var pair [2]round.Round
	for _, r := range failed {
		if r.N == left {
			pair[0] = r
		}
		if r.N == right {
			pair[1] = r
		}
	}
	if pair[0].N == 0 || pair[1].N == 0 {
		return nil, fmt.Errorf("--from and --to name rounds that failed: %s has %d of them", s.Task.ID, len(failed))
	}
	return [][2]round.Round{pair}, nil
}

func (a *app) printExplained(e explained) error {
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
