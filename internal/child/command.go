package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// What a shell would return for a command that it cannot start.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
)

// defaultPath is where commands are looked for without a PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// A program is a command ready to be started.
type program struct {
	path string
	argv []string
	attr os.ProcAttr // the three files are still to be set
	// mounts tells that its launcher changes mounts.
	mounts bool
}

// program resolves the command. Its second result is the code for one that is
// missing or not executable, else 0.
func (c *Cmd) program() (*program, int, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, 0, errors.New("run: no command given")
	}
	if err := c.checkDir(); err != nil {
		return nil, 0, err
	}
	path, missing := c.lookup(c.Argv[0])
	if missing != 0 {
		return nil, missing, nil
	}
	argv := c.Argv
	if len(c.Wrap) > 0 {
		argv = append(append(append([]string{}, c.Wrap...), path), c.Argv[1:]...)
		if path, missing = c.lookup(c.Wrap[0]); missing != 0 {
			return nil, 0, fmt.Errorf("run %q: its launcher %q is missing or not executable", c.Argv[0], c.Wrap[0])
		}
	}
	return &program{path: path, argv: argv, attr: os.ProcAttr{Dir: c.Dir, Env: c.environ()}, mounts: wantsMounts(c.Wrap)}, 0, nil
}

func (c *Cmd) maxOutput() int64 {
	if c.MaxOutput <= 0 {
		return 64 << 20
	}
	return c.MaxOutput
}

func (c *Cmd) grace() time.Duration {
	if c.Grace == 0 {
		return 10 * time.Second
	}
	return c.Grace
}

// checkDir keeps a missing directory from being read as a missing command: the
// system reports both with the same error.
func (c *Cmd) checkDir() error {
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "stat", Path: c.Dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return fmt.Errorf("run %q: use working directory: %w", c.Argv[0], err)
	}
	return nil
}

// environ is never nil, since that would inherit everything. Of two values for
// one name it has the last.
func (c *Cmd) environ() []string {
	env := append(make([]string, 0, len(c.Env)+1), c.Env...)
	if c.RunID != "" {
		env = append(env, runIDKey+c.RunID)
	}
	return (&exec.Cmd{Env: env}).Environ()
}

// lookup finds the file of a command, or returns why it cannot be started.
func (c *Cmd) lookup(name string) (path string, missing int) {
	if strings.ContainsAny(name, slashes) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, name)
		}
		if !filepath.IsAbs(name) { // exec would take it from Dir once more
			if abs, err := filepath.Abs(name); err == nil {
				name = abs
			}
		}
		return executable(name)
	}
	missing = codeNotFound
	for _, dir := range filepath.SplitList(c.searchPath()) {
		if !filepath.IsAbs(dir) {
			continue // the child could plant a command there
		}
		found, why := executable(filepath.Join(dir, name))
		if why == 0 {
			return found, 0
		}
		missing = min(missing, why)
	}
	return "", missing
}

// searchPath is the PATH that the child will see: the last one counts.
func (c *Cmd) searchPath() string {
	for i := len(c.Env) - 1; i >= 0; i-- {
		if p, ok := strings.CutPrefix(c.Env[i], "PATH="); ok {
			return p
		}
	}
	return defaultPath
}

// startFault sorts the errors of a start that speak of the command: 126 or 127,
// else 0.
func (p *program) startFault(err error) int {
	if p.attr.Dir != "" {
		if _, dirErr := os.Stat(p.attr.Dir); dirErr != nil {
			return 0
		}
	}
	switch {
	case errors.Is(err, syscall.ENOENT): // also of the interpreter in the first line
		return codeNotFound
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.ENOTDIR), errors.Is(err, errNoExec):
		return codeNotExecutable
	}
	return 0
}

// busyWaits are the pauses before a start is tried again because the file is
// open for writing: the writer may be a process between its fork and its exec,
// which holds the descriptors of its parent for an instant.
var busyWaits = []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 80 * time.Millisecond}

// start starts the program.
func (p *program) start() (*os.Process, error) {
	for try := 0; ; try++ {
		proc, err := os.StartProcess(p.path, p.argv, &p.attr)
		if err == nil || !errors.Is(err, errBusy) || try == len(busyWaits) {
			return proc, err
		}
		time.Sleep(busyWaits[try])
	}
}
