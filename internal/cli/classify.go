package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/recovery/event"
)

// classifyFlags are those of classify.
type classifyFlags struct {
	cases, cli string
	exit       int
	exitGiven  bool
	all        bool
}

func (a *app) classifyCommand() *cobra.Command {
	var f classifyFlags
	cmd := &cobra.Command{
		Use:   "classify --cases FILE",
		Short: "Say what kind of failure a saved output of a generator shows",
		Long: `classify reads a file of cases, one JSON object a line, or one saved output, and
prints for each its category, whether the same work may be tried again, the wait
that was asked for, and the rule that decided. Where a case names the category that
it expects, a mismatch is told and the exit code is 3.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.exitGiven = cmd.Flags().Changed("exit")
			return a.classify(f)
		},
	}
	cmd.Flags().StringVar(&f.cases, "cases", "-", "the `FILE`, - for standard input")
	cmd.Flags().StringVar(&f.cli, "cli", "any", "the program that printed one saved output")
	cmd.Flags().IntVar(&f.exit, "exit", 0, "its exit code, where that is known")
	cmd.Flags().BoolVar(&f.all, "all", false, "print every rule that would match, not only the first")
	return cmd
}

// maxCases bounds what is read.
const maxCases = 64 << 20

func (a *app) classify(f classifyFlags) error {
	data, err := a.readCases(f.cases)
	if err != nil {
		return withCode(exitUsage, err)
	}
	cases, err := casesOf(data, f)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("%s: %w", f.cases, err))
	}
	wrong := 0
	for i, c := range cases {
		if f.all {
			a.printRules(recovery.ClassifyAll(c.Signs(), nil))
			continue
		}
		r := c.Classify(nil)
		a.printCase(r)
		if len(r.Mismatch) > 0 {
			wrong++
			fmt.Fprintf(a.stderr, "looprun: case %d: %s\n", i+1, strings.Join(r.Mismatch, ", "))
		}
	}
	if wrong > 0 {
		return withCode(exitBlocked, fmt.Errorf("%d of %d cases are not as expected", wrong, len(cases)))
	}
	return nil
}

func (a *app) readCases(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(a.stdin, maxCases))
	}
	return os.ReadFile(a.path(name))
}

// casesOf are the cases of a file, or the one output that it is.
func casesOf(data []byte, f classifyFlags) ([]event.Case, error) {
	if !bytes.Contains(firstLine(data), []byte(`"stderr_or_output"`)) {
		c := event.Case{CLI: f.cli, Output: string(data)}
		if f.exitGiven {
			c.ExitCode = &f.exit
		}
		return []event.Case{c}, nil
	}
	var all []event.Case
	for n, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		c, err := event.ReadCase(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("no case in it")
	}
	return all, nil
}

func firstLine(data []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(data, " \t\r\n"), []byte("\n"))
	return line
}

func (a *app) printCase(r event.CaseResult) {
	if a.json {
		a.printJSON(r)
		return
	}
	wait := "-"
	if r.RetryAfterS != nil {
		wait = strconv.FormatFloat(*r.RetryAfterS, 'f', -1, 64) + "s"
	}
	fmt.Fprintf(a.stdout, "%s  retryable=%t  retry_after=%s  %s\n", r.Category, r.Retryable, wait, r.Rule)
}

func (a *app) printRules(all []recovery.Failure) {
	for _, r := range all {
		if a.json {
			a.printJSON(r)
			continue
		}
		fmt.Fprintf(a.stdout, "%s  %s\n", r.Category, r.Rule)
	}
}
