package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// maxGitOutput bounds what one git process may say; above it the answer is
// refused, never cut.
const maxGitOutput = 256 << 20

// A door is the one way from this package to git. Nothing of the caller's
// environment gets through but PATH: an inherited GIT_DIR would override
// everything that is set here.
type door struct {
	bin   string
	path  string
	home  string // an empty directory
	wall  time.Duration
	mark  string // run id of what is started for this slot
	trace func(args []string)
}

// A call is one git process.
type call struct {
	gitDir, workTree, index string
	objects                 string   // where new objects go, if not into gitDir
	config                  []string // more -c settings
	own                     bool     // read the user's own config files
	stdin                   []byte
	lasting                 bool          // what is written must outlive a power cut
	wall                    time.Duration // if shorter than the door's
	args                    []string
}

// A gitError is a git process that ended with anything but 0.
type gitError struct {
	Args   []string
	Ended  string
	Code   int
	Stderr string
	disk   syscall.Errno // the fault of the disk that it met; 0: none
}

func (e *gitError) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		said = "no message"
	}
	if e.Ended != "exit" {
		return fmt.Sprintf("git %s: ended by %s: %s", e.Args[0], e.Ended, said)
	}
	return fmt.Sprintf("git %s: exit %d: %s", e.Args[0], e.Code, said)
}

// openDoor finds git once; its version is remembered beside the control
// directory for as long as the program file stays the same.
func openDoor(ctx context.Context, key string, o Options) (*door, error) {
	g := &door{path: os.Getenv("PATH"), home: filepath.Join(key, "home"), wall: o.Timeout, trace: o.Trace}
	if g.path == "" {
		g.path = "/usr/local/bin:/usr/bin:/bin"
	}
	bin, err := findProgram("git", g.path)
	if err != nil {
		return nil, err
	}
	g.bin = bin
	d, err := fsx.MkdirAll(g.home)
	if err != nil {
		return nil, fmt.Errorf("make %q: %w", g.home, err)
	}
	defer d.Close()
	return g, g.checkVersion(ctx, key)
}

// run starts git and returns what it wrote to stdout. An exit code other than
// 0 is a *gitError.
func (g *door) run(ctx context.Context, c call) ([]byte, error) {
	out, res, err := g.start(ctx, c)
	if err != nil {
		return nil, err
	}
	if res.Ended != child.Exit || res.ExitCode != 0 {
		return nil, g.failed(c, res)
	}
	return out, nil
}

// answer is run for a command that says something on stdout and exits with 1.
func (g *door) answer(ctx context.Context, c call) ([]byte, error) {
	out, res, err := g.start(ctx, c)
	if err == nil && (res.Ended != child.Exit || res.ExitCode > 1) {
		err = g.failed(c, res)
	}
	return out, err
}

func (g *door) start(ctx context.Context, c call) ([]byte, child.Result, error) {
	argv := append(append([]string{g.bin}, c.flags()...), c.args...)
	if g.trace != nil {
		g.trace(c.args)
	}
	out, res, err := child.Output(ctx, child.Cmd{
		Argv: argv, Dir: g.cwd(c), Env: g.env(c), Stdin: c.stdin,
		Wall: g.limit(c), MaxOutput: maxGitOutput,
	})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && res.NotFound {
		err = ErrNoGit
	}
	if err != nil {
		return nil, res, fmt.Errorf("git %s: %w", c.args[0], err)
	}
	return out, res, nil
}

func (g *door) limit(c call) time.Duration {
	if c.wall > 0 && c.wall < g.wall {
		return c.wall
	}
	return g.wall
}

// cwd keeps git out of any directory but the tree that the call is about.
func (g *door) cwd(c call) string {
	if c.workTree != "" {
		return c.workTree
	}
	return g.home
}

// flags are the settings that no config may override. They stand before the
// command, where they beat every config file.
func (c call) flags() []string {
	set := []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false",
		"core.splitIndex=false", "core.attributesFile=/dev/null", "core.safecrlf=false",
		"diff.ignoreSubmodules=all", "submodule.recurse=false", "gc.auto=0",
		"maintenance.auto=false", "core.trustctime=true", "core.checkStat=default",
		"index.version=2",
	}
	if c.lasting {
		set = append(set, "core.fsync=objects,derived-metadata,reference", "core.fsyncMethod=fsync")
	}
	var flags []string
	for _, s := range append(set, c.config...) {
		flags = append(flags, "-c", s)
	}
	return flags
}

// env is built from nothing.
func (g *door) env(c call) []string {
	env := []string{
		"PATH=" + g.path, "LC_ALL=C", "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_SSH_COMMAND=false", "GIT_ALLOW_PROTOCOL=file",
		"GIT_COMMITTER_NAME=" + authorName, "GIT_COMMITTER_EMAIL=" + authorEmail,
		"GIT_AUTHOR_NAME=" + authorName, "GIT_AUTHOR_EMAIL=" + authorEmail,
	}
	if g.mark != "" {
		env = append(env, "LOOPRUN_RUN_ID="+g.mark)
	}
	if c.own {
		env = append(env, ownConfig(os.Getenv)...)
	} else {
		env = append(env, "HOME="+g.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	}
	for _, v := range [][2]string{
		{"GIT_DIR", c.gitDir}, {"GIT_WORK_TREE", c.workTree},
		{"GIT_INDEX_FILE", c.index}, {"GIT_OBJECT_DIRECTORY", c.objects},
	} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return env
}

// ownConfig lets git find the user's own config files, and nothing else.
func ownConfig(getenv func(string) string) []string {
	var env []string
	for _, k := range []string{"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"} {
		if v := getenv(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	return env
}

// exitCode is the code of a git process that ended by itself, else -1.
func exitCode(err error) int {
	var e *gitError
	if errors.As(err, &e) && e.Ended == "exit" {
		return e.Code
	}
	return -1
}

// zlist joins what is fed to a command that reads names ended by NUL.
func zlist(names []string) []byte {
	var b []byte
	for _, n := range names {
		b = append(append(b, n...), 0)
	}
	return b
}
