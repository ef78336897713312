package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// strict makes cmd and what is below it take nothing that they do not know.
// Whatever goes wrong before a command runs is wrong usage.
func (a *app) strict(cmd *cobra.Command) {
	args, run := cmd.Args, cmd.RunE
	if run == nil {
		run = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if args == nil || args(cmd, given) == nil {
			return nil
		}
		return wrongArguments(cmd, given)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		a.running = true
		a.dress()
		return run(cmd, given)
	}
	for _, sub := range cmd.Commands() {
		a.strict(sub)
	}
}

func wrongArguments(cmd *cobra.Command, given []string) error {
	switch {
	case len(given) == 0:
		return fmt.Errorf("an argument is missing: %s", cmd.UseLine())
	case cmd.HasAvailableSubCommands():
		return unknownCommand(cmd, given[0])
	}
	return fmt.Errorf("more arguments than it takes, %q: %s", given, cmd.UseLine())
}

func unknownCommand(cmd *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %q", name)
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		text += ", did you mean " + enumerate(near)
	}
	return fmt.Errorf("%s: see %s --help", text, cmd.CommandPath())
}

func (a *app) wrongFlag(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())
}

// helpCommand is the usual one, but a topic that there is not is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, err := help.Root().Find(args)
			if err == nil && len(rest) == 0 {
				return cmd.Help()
			}
			return withCode(exitUsage, unknownCommand(help.Root(), strings.Join(args, " ")))
		},
	}
}
