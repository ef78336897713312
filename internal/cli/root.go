// Package cli is the command: it reads flags, prints results and faults, and
// chooses the exit code. It decides nothing about a task and changes no file
// but through the packages below it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/task"
)

// An app is one call of the command.
type app struct {
	stdout, stderr io.Writer // for people: see terminal
	raw            io.Writer // standard output, byte by byte
	stdin          io.Reader
	environ        []string
	now            func() time.Time

	outFile, errFile *os.File // behind stdout and stderr; nil: no files

	dir, config string // the flags -C and --config
	json        bool
	color       choice

	running      bool // the arguments were understood
	faultsAsJSON bool // faults are the result of the command
}

// Main runs the command of this process and returns its exit code.
func Main() int {
	ctx, stop := catchSignals()
	defer stop()
	out := &printer{w: os.Stdout}
	a := &app{stdout: terminal{out}, raw: out, stderr: terminal{os.Stderr}, stdin: os.Stdin, environ: os.Environ(), now: time.Now, outFile: os.Stdout, errFile: os.Stderr}
	return a.run(ctx, os.Args[1:], out)
}

func (a *app) run(ctx context.Context, args []string, out *printer) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.running {
		err = withCode(exitUsage, err)
	}
	err = out.judge(err)
	if err != nil && err.Error() != "" {
		a.complain(err)
	}
	return exitCode(err)
}

// complain prints an error, each of its lines named as ours.
func (a *app) complain(err error) {
	for line := range strings.Lines(strings.TrimRight(err.Error(), "\n") + "\n") {
		fmt.Fprint(a.stderr, "looprun: ", line)
	}
}

// hint prints what to do next.
func (a *app) hint(format string, args ...any) { a.tell("hint: " + fmt.Sprintf(format, args...)) }

// warn prints what a person should know and nobody has to act on.
func (a *app) warn(text string) { a.tell("warning: " + text) }

// tell prints a line on standard error.
func (a *app) tell(text string) { fmt.Fprintln(a.stderr, "looprun: "+text) }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "looprun",
		Short: "Work through a directory of coding tasks, unattended",
		Long: `looprun works through the task files in tasks/inbox. For each it runs a generator
(any coding agent or script) in an isolated copy of the git repository, checks the
result itself, and decides from evidence: accept, try again with a new plan, wait,
or stop and ask a person. Everything that happened stands in .loop.`,
		SilenceErrors: true, SilenceUsage: true,
		Args:    cobra.NoArgs,
		Version: version(),

		SuggestionsMinimumDistance: 2,
	}
	root.PersistentFlags().StringVarP(&a.dir, "directory", "C", "", "work as if started in `DIR`")
	root.PersistentFlags().StringVar(&a.config, "config", "", "use this loop.yaml `FILE`")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object a line")
	a.color = choice{colorAuto, []string{colorAuto, colorAlways, colorNever}}
	root.PersistentFlags().Var(&a.color, "color", "show colours: `auto` (on a terminal, without NO_COLOR), always or never")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(a.color.words, cobra.ShellCompDirectiveNoFileComp))
	root.SetFlagErrorFunc(a.wrongFlag)
	root.SetVersionTemplate(versionLine())
	root.SetHelpCommand(helpCommand())
	root.AddCommand(a.runCommand(), a.addCommand(), a.listCommand(), a.statusCommand(), a.showCommand(),
		a.pauseCommand(), a.resumeCommand(), a.cancelCommand(), a.answerCommand(), a.retryCommand(), a.replayCommand(), a.diffCommand(), a.explainCommand(), a.gcCommand(), a.classifyCommand(), a.signatureCommand(), a.validateCommand(), a.schemaCommand(), a.versionCommand())
	root.AddCommand(a.watchCommand(), a.planCommand(), a.logsCommand(), a.waitCommand(), a.configCommand(), a.cronCommand(), a.initCommand(), a.demoCommand(), a.doctorCommand(), a.repairCommand(), a.statsCommand(), a.breakerCommand(), a.reportCommand(), a.serveCommand(), a.exportCommand())
	root.AddCommand(a.externalCommands()...)
	root.InitDefaultCompletionCmd()
	a.assist(root)
	arrange(root)
	a.strict(root)
	root.AddCommand(topics()...) // not to be run, so they are none of strict's
	return root
}

// configPath finds loop.yaml: the flag, else LOOPRUN_CONFIG, else upwards from
// the directory that looprun was started in.
func (a *app) configPath() (string, error) {
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", withCode(exitUsage, fmt.Errorf("-C %q: there is no such directory", a.dir))
	}
	for _, given := range []string{a.config, a.getenv("LOOPRUN_CONFIG")} {
		if given == "" {
			continue
		}
		if !filepath.IsAbs(given) {
			given = filepath.Join(dir, given)
		}
		return filepath.Clean(given), nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		if isTree(at) {
			return "", withCode(exitUsage, fmt.Errorf("%q is a tree that looprun works in, not your checkout: name that with -C DIR", at))
		}
		path := filepath.Join(at, config.FileName)
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		}
		if filepath.Dir(at) == at {
			return filepath.Join(dir, config.FileName), nil // Load tells what is missing
		}
	}
}

// isTree reports a tree that generators or checks are given. It holds a copy of
// loop.yaml, but the queue and the records are elsewhere.
func isTree(dir string) bool {
	slot := filepath.Dir(dir)
	if trees := filepath.Dir(slot); filepath.Base(trees) != "trees" {
		return false
	}
	_, err := os.Lstat(filepath.Join(slot, "..", "..", "ctl.git"))
	return err == nil
}

func (a *app) getenv(name string) string {
	for _, entry := range a.environ {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// load reads loop.yaml and prints every fault of it at once.
func (a *app) load() (config.Config, error) {
	path, err := a.configPath()
	if err != nil {
		return config.Config{}, err
	}
	cfg, faults, err := config.Load(path)
	if err != nil {
		return cfg, withCode(exitConfig, err)
	}
	if faults, _ = task.Split(faults); len(faults) > 0 {
		a.faults(faults)
		return cfg, withCode(exitConfig, errors.New("loop.yaml is not valid: nothing was started"))
	}
	return cfg, nil
}

// home is the folder of loop.yaml, for commands that only look: a fault in the
// file does not keep anybody from seeing what happened.
func (a *app) home() (string, error) {
	path, err := a.configPath()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", withCode(exitConfig, fmt.Errorf("there is no %s: name its folder with -C DIR, or the file with --config FILE", path))
	}
	return filepath.Dir(path), nil
}

func (a *app) loopDir() (string, error) {
	home, err := a.home()
	return filepath.Join(home, loop.LoopDir), err
}

// faults prints what is wrong in files, each with its place at the start of the
// line, as editors look for it.
func (a *app) faults(faults []task.Fault) {
	for _, f := range faults {
		f.File = a.short(f.File)
		if a.faultsAsJSON {
			a.printJSON(f)
			continue
		}
		if f.Warning && f.Field != "" {
			f.Field = "warning: " + f.Field
		} else if f.Warning {
			f.Msg = "warning: " + f.Msg
		}
		fmt.Fprintln(a.stderr, f.String())
	}
}

// short names a file below the directory that looprun was started in from
// there, as whoever started it would.
func (a *app) short(path string) string {
	dir, err := filepath.Abs(a.dir)
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
