package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) answerCommand() *cobra.Command {
	var text, file string
	var approve bool
	cmd := &cobra.Command{
		Use: "answer ID", Short: "Answer a task that asked: a follow-up goes on, on Temporal", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.followUp(cmd, "answer", args[0], "--text="+text, "--file="+file, fmt.Sprintf("--approve=%v", approve))
		},
	}
	cmd.Flags().StringVar(&text, "text", "", "the answer `T`")
	cmd.Flags().StringVar(&file, "file", "", "read the answer from `F`")
	cmd.Flags().BoolVar(&approve, "approve", false, "allow the irreversible operations of the task")
	cmd.MarkFlagsMutuallyExclusive("text", "file")
	return cmd
}

func (a *app) retryCommand() *cobra.Command {
	var rounds int
	var cost string
	cmd := &cobra.Command{
		Use: "retry ID", Short: "Try a task again that was blocked: a follow-up goes on, on Temporal", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.followUp(cmd, "retry", args[0], fmt.Sprintf("--add-rounds=%d", rounds), "--add-cost="+cost)
		},
	}
	cmd.Flags().IntVar(&rounds, "add-rounds", 0, "allow `N` rounds more than loop.yaml")
	cmd.Flags().StringVar(&cost, "add-cost", "", "allow `M` US dollars more than loop.yaml, as 2.00")
	return cmd
}

// followUp makes a follow-up as looprun does and starts it. Of flags that
// exclude one another only what was given is passed on.
func (a *app) followUp(cmd *cobra.Command, verb, id string, flags ...string) error {
	args := []string{verb, id}
	for _, flag := range flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		if cmd.Flags().Changed(name) {
			args = append(args, flag)
		}
	}
	if err := a.looprun(cmd.Context(), args...); err != nil {
		return err
	}
	return a.start(cmd.Context(), 0)
}
