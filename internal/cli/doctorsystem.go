package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// gitVersion asks for the version alone; whether it is new enough shows when the
// repository is opened.
func (x *examination) gitVersion(ctx context.Context) {
	ran, err := child.Run(ctx, child.Cmd{
		Argv: []string{"git", "version"}, Env: x.environ, Wall: 10 * time.Second, Keep: 4 << 10, RunID: fmt.Sprintf("doctor-%d", os.Getpid()),
	})
	switch {
	case err != nil:
		x.failed("git", err)
	case ran.NotFound:
		x.found(bad, "git", "install git 2.38 or newer", "git was not found in PATH=%s", x.getenv("PATH"))
	default:
		x.found(fine, "git", "", "%s", strings.TrimSpace(string(ran.Stdout.Head)+string(ran.Stdout.Tail)))
		x.processes(ran.Level)
	}
}

// processes tells how sure looprun can be of ending what a generator started.
func (x *examination) processes(level string) {
	switch level {
	case child.Group:
		x.found(notable, "processes", "", "a process that leaves its group is found by a mark in its environment only")
	case child.Subreaper:
		x.found(fine, "processes", "", "whatever a generator leaves running comes to looprun and is ended (no cgroup can be made here)")
	default:
		x.found(fine, "processes", "", "whatever a generator leaves running is ended (%s)", level)
	}
}

// commands looks for everything that loop.yaml starts, and asks the generator
// what it is.
func (x *examination) commands(ctx context.Context) {
	faults := x.cfg.CheckCommands(x.getenv("PATH"))
	for _, f := range faults {
		f.File = x.short(f.File)
		x.found(bad, "commands", "correct loop.yaml, or PATH", "%s", f)
	}
	if len(faults) == 0 {
		x.found(fine, "commands", "", "every command of loop.yaml is there")
	}
	for _, f := range loop.CheckGenerator(ctx, x.cfg, x.environ) {
		level := fine
		switch {
		case !f.OK && f.Name == "installed":
			level = bad
		case !f.OK:
			level = notable
		}
		x.found(level, "generator", f.Hint, "%s", f.Text)
	}
}

// confinement tells how far the sandbox holds here.
func (x *examination) confinement(context.Context) {
	level, why, err := loop.Confinement(x.cfg, child.Landlock())
	switch {
	case err != nil:
		x.found(bad, "sandbox", "sandbox: auto confines as far as the system can", "%v", err)
	case why != "":
		x.found(notable, "sandbox", "sandbox: off takes note of that", "the generator can reach all that you can: %s", why)
	case level == loop.NoSandbox:
		x.found(notable, "sandbox", "", "it is off: the generator can reach all that you can")
	default:
		x.found(fine, "sandbox", "", "%s", level)
	}
}

// folders looks at tasks/, .loop/ and where the trees are: what file systems
// they are on, and what those can do.
func (x *examination) folders() {
	root := filepath.Join(x.cfg.Dir, loop.TasksDir)
	var stages []string
	for _, stage := range task.Stages {
		dir := filepath.Join(root, string(stage))
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, os.ErrNotExist) && stage == task.Inbox:
			x.found(bad, "folders", "looprun init makes it", "%s is missing", x.short(dir))
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			x.failed("folders", err)
		case !info.IsDir():
			x.found(bad, "folders", "put a folder there: tasks can't be moved safely through it", "%s is no folder", x.short(dir))
		default:
			stages = append(stages, dir)
		}
	}
	if len(stages) > 0 {
		x.fileSystem("tasks", stages...)
	}
	for _, d := range [][2]string{{"records", filepath.Join(x.cfg.Dir, loop.LoopDir)}, {"trees", loop.StateRoot(x.cfg, x.getenv)}} {
		if info, err := os.Stat(d[1]); err == nil && info.IsDir() {
			x.fileSystem(d[0], d[1])
		}
	}
}

func (x *examination) fileSystem(name string, dirs ...string) {
	facts, err := fsx.Probe(dirs...)
	at := x.short(dirs[0])
	if len(dirs) > 1 {
		at = x.short(filepath.Dir(dirs[0]))
	}
	switch {
	case err != nil:
		x.found(bad, name, "let looprun's user write there", "%v", err)
	case !facts.OneDevice:
		x.found(bad, name, "put all folders below tasks on one file system", "files can't be moved between the folders below %s", at)
	case facts.Network && !x.cfg.Workspace.AllowNetworkFS:
		x.found(bad, name, "use a local disk, or set workspace.allow_network_fs", "%s is a network file system (%s): locks and fsync may mean less there than they say", at, facts.FS)
	case facts.Network:
		x.found(notable, name, "", "%s is a network file system (%s), which loop.yaml allows", at, facts.FS)
	case !facts.SyncDir && runtime.GOOS != "windows":
		x.found(notable, name, "use another file system if power cuts matter", "%s can't make folders durable: a power cut may undo a move", at)
	case !facts.Links:
		x.found(notable, name, "", "%s takes no hard links: tasks are moved by renames", at)
	default:
		x.found(fine, name, "", "%s, %s", at, fsName(facts.FS))
	}
}

func fsName(name string) string {
	if name == "" {
		return "durable"
	}
	return name
}

func (x *examination) disk() {
	floor := int64(x.cfg.Queue.DiskFloor)
	free, err := fsx.Free(x.cfg.Dir)
	switch {
	case err != nil:
		x.failed("disk", err)
	case free < floor:
		x.found(bad, "disk", "make room: nothing is claimed below queue.disk_floor", "%d MiB are free", free>>20)
	default:
		x.found(fine, "disk", "", "%d MiB are free, queue.disk_floor is %s", free>>20, x.cfg.Queue.DiskFloor)
	}
}

// repository opens everything as a run would, and lets go of it again. While an
// instance is at work that is its own affair.
func (x *examination) repository(ctx context.Context) {
	if _, err := os.Stat(filepath.Join(x.cfg.Dir, loop.TasksDir, string(task.Inbox))); err != nil {
		return // told already
	}
	l, err := loop.Open(ctx, loop.Options{Config: x.cfg, Environ: x.environ, Now: x.now})
	if errors.Is(err, record.ErrBusy) {
		x.found(fine, "lock", "", "%v", err)
		return
	}
	if err != nil {
		x.found(bad, "repository", "", "%v", err)
		return
	}
	defer l.Close()
	x.found(fine, "lock", "", "no instance is at work")
	base, err := l.Base(ctx)
	if err != nil {
		x.found(bad, "repository", "make the first commit, or correct workspace.base", "%v", err)
		return
	}
	x.found(fine, "repository", "", "tasks start from %.12s (%s)", base, x.cfg.Workspace.Base)
	dirty, err := l.Dirty(ctx)
	switch {
	case err != nil:
		x.failed("repository", err)
	case len(dirty) > 0:
		x.found(bad, "repository", "commit it, or use workspace.mode isolated", "not committed: %s", few(dirty))
	}
}
