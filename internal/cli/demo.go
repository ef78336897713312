package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

func (a *app) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Show three tasks and their three ends in a scratch repository",
		Long: `demo makes a small repository in DIR, which must be empty, or in a temporary folder,
and works off three tasks there: one is done in its second round, one asks, one is
blocked. Its agent and its checks are looprun itself, so that it needs nothing but git.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.demo(cmd.Context(), args) },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "agent", Hidden: true, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return a.demoAgent() }},
		&cobra.Command{Use: "check NAME", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error { return a.demoCheck(args[0]) }},
	)
	return cmd
}

// A demoTask is one task of the demo and the end that it comes to.
type demoTask struct {
	id    string
	stage task.Stage
	why   string
	file  string
}

var demoTasks = []demoTask{
	{"add-plum", task.Done, "a check failed in round 1, and its evidence became the plan of round 2", `{
  "id": "add-plum",
  "title": "Sell plums",
  "goal": "Plums cost 4. Add them to prices.txt.",
  "verify": ["plum"]
}
`},
	{"ask-currency", task.NeedsInputStage, "the same failure came twice, so looprun asks instead of trying on", `{
  "id": "ask-currency",
  "title": "Name the currency",
  "goal": "Every line of prices.txt ends with the currency.",
  "verify": ["currency"]
}
`},
	{"bend-the-rules", task.BlockedStage, "the agent changed a protected file, so no check ran", `{
  "id": "bend-the-rules",
  "title": "Allow prices in words",
  "goal": "A price may be a word, as in: cherry five.",
  "verify": ["cherry"]
}
`},
}

func (a *app) demo(ctx context.Context, args []string) error {
	dir, err := a.demoDir(args)
	if err != nil {
		return err
	}
	shop := filepath.Join(dir, "shop")
	if err := a.makeDemo(ctx, shop); err != nil {
		return err
	}
	there := *a
	there.dir, there.config = shop, ""
	there.environ = slices.DeleteFunc(slices.Clone(a.environ), func(v string) bool { return strings.HasPrefix(v, "LOOPRUN_CONFIG=") })
	err = there.pass(ctx, runFlags{})
	var ended *coded
	if !errors.As(err, &ended) || ended.code != exitBlocked || ctx.Err() != nil {
		return errors.Join(errors.New("the demo did not come to its end"), err)
	}
	for _, t := range demoTasks {
		if _, err := os.Lstat(filepath.Join(shop, "tasks", string(t.stage), t.id+".json")); err != nil {
			return fmt.Errorf("the demo did not end as it should: %s is not %s: look into %s", t.id, t.stage, shop)
		}
	}
	return a.showDemo(dir, shop)
}

// demoDir is the folder that was given, or a new one.
func (a *app) demoDir(args []string) (string, error) {
	if len(args) == 0 {
		dir, err := fsx.Scratch("").MkdirTemp("looprun-demo-")
		return dir.Path(""), err
	}
	dir, err := filepath.Abs(a.path(args[0]))
	if err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", withCode(exitUsage, fmt.Errorf("%s is not empty: name a new folder for the demo", dir))
	}
	return dir, nil
}

// makeDemo makes a repository with a commit, and its tasks. The user's own git
// settings have no part in it.
func (a *app) makeDemo(ctx context.Context, shop string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find looprun itself: %w", err)
	}
	at := fsx.Scratch(shop)
	if err := at.MkdirAll("tasks/inbox"); err != nil {
		return err
	}
	files := map[string]string{
		"prices.txt": demoPrices, "rules.txt": demoRules, ".gitignore": "/tasks/\n/.loop/\n",
		"loop.yaml": demoSettings(program),
	}
	for _, t := range demoTasks {
		files["tasks/inbox/"+t.id+".json"] = t.file
	}
	for name, text := range files {
		if err := at.WriteMode(filepath.FromSlash(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "The shop"}} {
		quiet := []string{"-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null"}
		if _, ok, err := a.git(ctx, shop, append(quiet, args...)...); err != nil || !ok {
			return errors.Join(fmt.Errorf("git %s did not work in %s", args[0], shop), err)
		}
	}
	return nil
}

// demoSettings is the demo's loop.yaml. Its trees stand beside the repository,
// so that one rm takes all of it away.
func demoSettings(program string) string {
	return fmt.Sprintf(`# The demo: agent and checks are looprun itself.
version: 1
workspace:
  dir: ../trees
generator:
  command: [%[1]s, "demo", "agent"]
verification:
  profiles:
    prices: # every line is a name and a number
      - run: [%[1]s, "demo", "check", "prices"]
    plum:
      - run: [%[1]s, "demo", "check", "plum"]
    currency:
      - run: [%[1]s, "demo", "check", "currency"]
    cherry:
      - run: [%[1]s, "demo", "check", "cherry"]
  always: [prices] # must pass for every task
boundary:
  protect: ["rules.txt"] # no agent may change it
`, quoted(program))
}

func (a *app) showDemo(dir, shop string) error {
	if a.json {
		a.printJSON(map[string]string{"dir": dir, "repository": shop})
		return nil
	}
	w := columns(a.stdout)
	fmt.Fprintf(w, "\nThree tasks and their ends, in %s:\n\n", shop)
	for _, t := range demoTasks {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", t.id, t.stage, t.why)
	}
	fmt.Fprintf(w, `
Look around:

  cd %s
  git diff HEAD...looprun/add-plum            what was accepted; the checkout is as it was
  looprun show add-plum                       how it came about, round by round
  looprun logs add-plum --try 1               what the agent said in the first
  looprun explain ask-currency                why both rounds count as the same failure
  looprun answer ask-currency --text euro     a follow-up with the answer, then: looprun run
  looprun show bend-the-rules

rm -r %s takes it all away.
`, shellQuote(shop), shellQuote(dir))
	return w.Flush()
}
