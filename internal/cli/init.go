package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

func (a *app) initCommand() *cobra.Command {
	var adapter choice
	for _, known := range agents {
		adapter.words = append(adapter.words, known.name)
	}
	adapter.words = append(adapter.words, "exec")
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up this repository: loop.yaml, tasks/, .gitignore, an example task",
		Long: `init looks for the repository's test command and for coding agents in PATH, and writes
a loop.yaml with comments. It makes the folders of tasks, lets git ignore what is
looprun's, and writes an example task beside the inbox. What is there already stays as
it is; what it wrote is read back and checked.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.initialize(cmd.Context(), adapter.word) },
	}
	cmd.Flags().Var(&adapter, "adapter", "the agent, `NAME`: "+enumerate(adapter.words)+"; else the first that is installed")
	return cmd
}

// A setup is init under way, and what it prints with --json.
type setup struct {
	*app `json:"-"`
	draft

	Dir      string   `json:"dir"`
	Adapter  string   `json:"adapter"`
	Profiles []string `json:"profiles"`
	Written  []string `json:"written"`
	Kept     []string `json:"kept"`
}

func (a *app) initialize(ctx context.Context, adapter string) error {
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return err
	}
	if err := a.top(ctx, dir); err != nil {
		return err
	}
	s := &setup{app: a, Dir: dir, Profiles: []string{}, Written: []string{}, Kept: []string{}}
	s.detect(adapter)
	for _, step := range []func() error{s.settings, s.folders, s.example, s.agent, func() error { return s.ignore(ctx) }} {
		if err := step(); err != nil {
			return err
		}
	}
	return s.report()
}

// top makes sure that dir is the top of a repository with a commit: tasks start
// from one.
func (a *app) top(ctx context.Context, dir string) error {
	out, ok, err := a.git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	top := strings.TrimSuffix(out, "\n")
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case err != nil:
		return err
	case !ok:
		return withCode(exitHeld, fmt.Errorf("%s is no git repository: run git init there and commit, then looprun init again", dir))
	case filepath.Clean(top) != real:
		return withCode(exitHeld, fmt.Errorf("%s is inside a repository: looprun -C %s init", dir, top))
	}
	if _, ok, err = a.git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil && !ok {
		a.warn("there is no commit yet: tasks start from one, so make it before the first run")
	}
	return err
}

// git asks git about the user's own checkout, before any agent was near it. ok
// is false where it ends with anything but 0.
func (a *app) git(ctx context.Context, dir string, args ...string) (out string, ok bool, err error) {
	data, res, err := child.Output(ctx, child.Cmd{Argv: append([]string{"git"}, args...), Dir: dir, Env: a.environ, MaxOutput: 1 << 20})
	if err == nil && res.NotFound {
		err = withCode(exitHeld, errors.New("git was not found in PATH: install git 2.38 or newer"))
	}
	return string(data), res.Ended == child.Exit && res.ExitCode == 0, err
}

func (s *setup) detect(adapter string) {
	s.suites = project{s.Dir, s.getenv("HOME")}.suites()
	s.agents = installed(s.getenv("PATH"))
	switch i := slices.IndexFunc(s.agents, func(x agent) bool { return x.name == adapter }); {
	case adapter == "exec":
		s.agents = nil
	case i > 0:
		s.agents[0], s.agents[i] = s.agents[i], s.agents[0]
	case i < 0 && adapter != "":
		s.agents = append([]agent{{name: adapter}}, s.agents...)
	}
	if s.Adapter = "exec"; len(s.agents) > 0 {
		s.Adapter = s.agents[0].name
		for _, key := range s.agents[0].keys {
			if s.getenv(key) != "" {
				s.keys = append(s.keys, key)
			}
		}
	}
}

// settings writes loop.yaml, which is read before it is written: a file that is
// not valid would help nobody.
func (s *setup) settings() error {
	path := filepath.Join(s.Dir, config.FileName)
	text := []byte(s.yaml())
	cfg, faults := config.Parse(path, text)
	if faults, _ = task.Split(faults); len(faults) > 0 {
		s.faults(faults)
		return fmt.Errorf("what init would write as %s is not valid", path)
	}
	wrote, err := s.write(config.FileName, text, 0o644)
	if err == nil && !wrote {
		if cfg, faults, err = config.Load(path); err == nil && len(faults) > 0 {
			s.hint("%s was there and is not valid: looprun validate tells why", config.FileName)
		}
		s.Adapter = cfg.Generator.Adapter
	}
	for name := range cfg.Verification.Profiles {
		s.Profiles = append(s.Profiles, name)
	}
	slices.Sort(s.Profiles)
	return err
}

// write makes a file that is not there yet.
func (s *setup) write(name string, data []byte, mode fs.FileMode) (bool, error) {
	dir, err := fsx.Open(filepath.Dir(filepath.Join(s.Dir, name)))
	if err != nil {
		return false, err
	}
	defer dir.Close()
	err = dir.Create(filepath.Base(name), data)
	if errors.Is(err, fs.ErrExist) {
		s.Kept = append(s.Kept, name)
		return false, nil
	}
	if err == nil {
		err = fsx.Scratch(s.Dir).Chmod(name, mode)
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", name, err)
	}
	s.Written = append(s.Written, name)
	return true, nil
}

func (s *setup) folders() error {
	root := filepath.Join(s.Dir, loop.TasksDir)
	made := false
	for _, stage := range task.Stages {
		if _, err := os.Lstat(filepath.Join(root, string(stage))); errors.Is(err, fs.ErrNotExist) {
			made = true
		}
	}
	if err := queue.Make(root); err != nil {
		return err
	}
	if made {
		s.Written = append(s.Written, loop.TasksDir+"/")
	} else {
		s.Kept = append(s.Kept, loop.TasksDir+"/")
	}
	return nil
}

func (s *setup) example() error {
	_, err := s.write(filepath.Join(loop.TasksDir, "example.json"), []byte(exampleTask), 0o644)
	return err
}

// agent writes the script that loop.yaml names where no agent was found.
func (s *setup) agent() error {
	if len(s.agents) > 0 || slices.Contains(s.Kept, config.FileName) {
		return nil
	}
	_, err := s.write("agent.sh", []byte(exampleAgent), 0o755)
	return err
}

// ignore adds what git does not ignore yet to .gitignore, behind what is there.
func (s *setup) ignore(ctx context.Context) error {
	var lines []string
	for _, dir := range []string{loop.TasksDir, loop.LoopDir} {
		_, ignored, err := s.git(ctx, s.Dir, "check-ignore", "-q", dir+"/x")
		if err != nil {
			return err
		}
		if !ignored {
			lines = append(lines, "/"+dir+"/\n")
		}
	}
	if len(lines) == 0 {
		return nil
	}
	const name = ".gitignore"
	data, err := os.ReadFile(filepath.Join(s.Dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	dir, err := fsx.Open(s.Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Replace(name, append(data, strings.Join(lines, "")...)); err != nil {
		return fmt.Errorf("add to %s: %w", name, err)
	}
	s.Written = append(s.Written, name)
	return fsx.Scratch(s.Dir).Chmod(name, 0o644)
}

func (s *setup) report() error {
	if s.json {
		s.printJSON(s)
		return nil
	}
	for _, name := range s.Written {
		fmt.Fprintf(s.stdout, "wrote  %s\n", name)
	}
	for _, name := range s.Kept {
		fmt.Fprintf(s.stdout, "kept   %s\n", name)
	}
	checks := "none found: set verification.profiles.unit in loop.yaml"
	if len(s.suites) > 0 || slices.Contains(s.Kept, config.FileName) {
		checks = strings.Join(s.Profiles, ", ")
	}
	agent := s.Adapter
	if agent == "exec" {
		agent = "generator.command of loop.yaml"
	}
	_, err := fmt.Fprintf(s.stdout, `agent  %s
checks %s

Next:
  look through loop.yaml, and commit it with .gitignore
  looprun doctor                      is everything in place?
  edit tasks/example.json
  looprun add tasks/example.json
  looprun run                         or: looprun watch, looprun cron
`, agent, checks)
	return err
}
