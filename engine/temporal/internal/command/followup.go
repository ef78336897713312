package command

import "github.com/spf13/cobra"

func (a *app) answerCommand() *cobra.Command {
	return a.followUp("answer ID --text T | --file F [--approve]", "Answer a task that asked: a follow-up goes on, on Temporal", "answer")
}

func (a *app) retryCommand() *cobra.Command {
	return a.followUp("retry ID [--add-rounds N] [--add-cost M]", "Try a task again that was blocked: a follow-up goes on, on Temporal", "retry")
}

// followUp makes a follow-up as looprun does, with its flags, and starts it.
func (a *app) followUp(use, short, verb string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, DisableFlagParsing: true,
		Long: short + ".\nThe flags are those of looprun " + verb + "; -C and --json stand before the command.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.looprun(cmd.Context(), append([]string{verb}, args...)...); err != nil {
				return err
			}
			return a.start(cmd.Context(), 0)
		},
	}
}
