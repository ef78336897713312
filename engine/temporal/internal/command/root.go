// Package command is looprun-temporal: its flags, what it prints and its exit
// codes. What looprun itself has a command for is done by that command.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/engine/temporal/internal/site"
	"looprun.dev/looprun/internal/cli"
	"looprun.dev/looprun/internal/config"
)

// The exit codes, which are those of looprun.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 64
	exitNoTask = 66
	exitHeld   = 69 // the cluster can't be reached
	exitConfig = 78
)

// A coded is an error with its exit code. One without a text was told already.
type coded struct {
	code int
	err  error
}

func (c *coded) Error() string {
	if c.err == nil {
		return ""
	}
	return c.err.Error()
}

func (c *coded) Unwrap() error { return c.err }

// An app is one call of the command.
type app struct {
	stdout, stderr io.Writer
	environ        []string
	dir            string
	json, running  bool
}

// Main runs the command of this process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ()}
	return a.run(ctx, os.Args[1:])
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if err.Error() != "" {
		fmt.Fprintln(a.stderr, "looprun-temporal:", err)
	}
	var c *coded
	switch {
	case errors.As(err, &c):
		return c.code
	case !a.running:
		return exitUsage
	}
	return exitFailed
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Version: version(),
		Use:     "looprun-temporal",
		Short:   "Run looprun's tasks on many machines, as workflows of a Temporal cluster",
		Long: `looprun-temporal plays the same tasks by the same rules as looprun, on as many
machines as there are workers. Start workers with "worker", hand the tasks of
tasks/inbox over with "start"; what comes of them stands in .loop as ever. The
section engine.temporal of loop.yaml says where the cluster is.`,
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs,
		PersistentPreRun: func(*cobra.Command, []string) { a.running = true },
	}
	root.PersistentFlags().StringVarP(&a.dir, "directory", "C", "", "work as if started in `DIR`")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object a line")
	root.AddCommand(a.workerCommand(), a.startCommand(), a.statusCommand(), a.showCommand(),
		a.pauseCommand(), a.resumeCommand(), a.cancelCommand(), a.answerCommand(), a.retryCommand())
	return root
}

// load reads the loop.yaml of a folder.
func (a *app) load(dir string) (config.Config, site.Engine, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return config.Config{}, site.Engine{}, err
	}
	cfg, faults, err := config.Load(filepath.Join(dir, config.FileName))
	if err != nil {
		return cfg, site.Engine{}, &coded{exitConfig, err}
	}
	for _, f := range faults {
		if !f.Warning {
			return cfg, site.Engine{}, &coded{exitConfig, fmt.Errorf("%s: looprun validate shows all that is wrong", f)}
		}
	}
	engine, err := site.ReadEngine(cfg)
	if err != nil {
		err = &coded{exitConfig, err}
	}
	return cfg, engine, err
}

// dial connects to the cluster.
func (a *app) dial(ctx context.Context, e site.Engine, logs slog.Level) (client.Client, error) {
	o := client.Options{
		HostPort: e.Address, Namespace: e.Namespace, DataConverter: flow.DataConverter(),
		Logger: log.NewStructuredLogger(slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: logs}))),
	}
	if err := a.secure(e, &o); err != nil {
		return nil, &coded{exitConfig, err}
	}
	c, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, &coded{exitHeld, fmt.Errorf("reach Temporal at %s: %w: start it, or name it in engine.temporal.address of loop.yaml", e.Address, err)}
	}
	return c, nil
}

// control is the repository that the command was started in.
func (a *app) control(dir string) (site.Control, site.Engine, error) {
	cfg, engine, err := a.load(dir)
	if err != nil {
		return site.Control{}, engine, err
	}
	return site.Control{Config: cfg, Environ: a.environ, Remote: site.NewRemote(cfg.Dir, engine.Remote, site.GitEnviron(a.environ))}, engine, nil
}

// looprun runs a command of looprun's own in the same folder.
func (a *app) looprun(ctx context.Context, args ...string) error {
	if a.json {
		args = append(args, "--json")
	}
	answer := cli.Call{Args: append([]string{"-C", a.dirOrHere()}, args...), Environ: a.environ}.Run(ctx)
	a.stdout.Write(answer.Out)
	a.stderr.Write(answer.Faults)
	if answer.Code != exitOK {
		return &coded{answer.Code, nil}
	}
	return nil
}

func (a *app) dirOrHere() string {
	if a.dir == "" {
		return "."
	}
	return a.dir
}

func (a *app) getenv(name string) string {
	for _, entry := range slices.Backward(a.environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// version is what the module was built as.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
