package loop

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/generator"
)

// NoSandbox is the level of a try that was confined by nothing.
const NoSandbox = "none"

// ErrSandbox is in the error of a loop.yaml whose sandbox cannot hold here.
var ErrSandbox = errors.New("no such sandbox")

// Confinement says how far the sandbox of c holds on a system that has this
// version of Landlock, 0 for none: the level as attempts record it, and where
// that is NoSandbox although nobody asked for it, why. It never takes less for
// what was asked: the error, with ErrSandbox in it, ends looprun before it
// claims anything.
func Confinement(c config.Config, abi int) (level, why string, err error) {
	s, inPlace := c.Sandbox, c.Workspace.Mode == config.InPlace
	mounts := inPlace && abi >= child.FilesABI && child.OwnMounts()
	refuse := func(format string, args ...any) (string, string, error) {
		return NoSandbox, "", fmt.Errorf("%w: "+format, append([]any{ErrSandbox}, args...)...)
	}
	switch {
	case s.Mode == "off":
		return NoSandbox, "", nil
	case s.Mode == "require" && abi < child.SignalsABI:
		return refuse("sandbox.mode is require, and this system has %s: version %d is needed (Linux 6.12)", landlock(abi), child.SignalsABI)
	case s.Mode == "require" && inPlace && !mounts:
		return refuse("sandbox.mode is require, workspace.mode is in_place, and this system lets nobody have mounts of his own, which would keep tasks/, .loop/, loop.yaml and .git apart from what the generator writes")
	case s.Network == "none" && (abi < child.NetworkABI || !child.ClosesNetwork()):
		return refuse("sandbox.network is none, and this system has %s: version %d is needed (Linux 6.7)", landlock(abi), child.NetworkABI)
	case abi < child.FilesABI:
		return NoSandbox, fmt.Sprintf("this system has %s, and version %d is needed (Linux 6.2)", landlock(abi), child.FilesABI), nil
	}
	level = fmt.Sprintf("landlock:%d", abi)
	switch {
	case mounts:
		level += ",mounts"
	case inPlace: // the level must not promise what does not hold
		level += ",in_place"
	}
	if s.Network == "none" {
		level += ",network:none"
	}
	return level, "", nil
}

func landlock(abi int) string {
	if abi == 0 {
		return "no Landlock"
	}
	return fmt.Sprintf("version %d of Landlock", abi)
}

// A sandbox is what a pass confines the processes of its tasks by. It is
// decided once, before anything is claimed.
type sandbox struct {
	level     string
	abi       int // 0: nothing is confined
	noNetwork bool
	// fixed and hidden lie in the checkout, and are kept apart from what is written
	// there.
	fixed, hidden []string
	// home is the user's, "" without one.
	home string
	// private is what no list of looprun's own may open, and control what nobody
	// may write, whatever loop.yaml says. All paths are without links.
	private []string
	control []guarded
	// common is open to all for reading; read and write are those of loop.yaml.
	common      func() []string
	read, write []string
	// generator and checks are what their environments need besides.
	generator, checks dress
}

// decideSandbox settles the level. It is told where it is none.
func (l *Loop) decideSandbox() error {
	abi := 0
	if l.cfg.Sandbox.Mode != "off" {
		abi = l.opts.Landlock()
	}
	level, why, err := Confinement(l.cfg, abi)
	if err != nil {
		return err
	}
	l.sandbox.level = level
	switch {
	case why != "":
		l.warn("there is no sandbox: %s. The generator can reach all that you can: what it changes of its task's records is noticed, but not kept from happening. sandbox: off takes note of that, sandbox: require refuses to start", why)
	case level != NoSandbox:
		l.sandbox.abi, l.sandbox.noNetwork = abi, l.cfg.Sandbox.Network == "none"
		if l.cfg.Workspace.Mode == config.InPlace && !child.OwnMounts() {
			l.warn("in the checkout itself the sandbox leaves tasks/, .loop/, loop.yaml and .git within the generator's reach: what it changes of its task's records is noticed, but not kept from happening")
		}
	}
	return nil
}

// openSandbox works out what is open to the processes of tasks, and refuses a
// sandbox.write that would open what steers looprun.
func (l *Loop) openSandbox() error {
	s := &l.sandbox
	if s.abi == 0 {
		return nil
	}
	s.home = followed(l.getenv("HOME"))
	l.setApart()
	s.common = sync.OnceValue(s.everywhere) // a pass that finds nothing to do asks for none
	if err := l.openListed(); err != nil {
		return err
	}
	s.generator = l.dress("generator.env", l.cfg.Generator.Env, l.cacheDir("generator"))
	s.checks = l.dress("verification.env", l.cfg.Verification.Env, l.cacheDir("checks"))
	if len(l.cfg.Workspace.Setup) > 0 {
		for _, space := range l.spaces {
			space.Confine(l.checkSandbox(nil), l.checkEnviron())
		}
	}
	return nil
}

// generatorSandbox is what a generator can reach beside what its environment
// and its command call for.
func (h *host) generatorSandbox(a generator.Adapter, argv []string, tmp string) child.Sandbox {
	s := &h.sandbox
	if s.abi == 0 {
		return child.Sandbox{}
	}
	env := h.values(h.cfg.Generator.Env, s.generator.set)
	read := append(s.readable(env), s.program(argv, env["PATH"], h.cfg.Dir)...)
	read = append(read, h.space.Objects()...)
	read = append(read, s.gitSettings()...)
	if h.cfg.Workspace.Mode == config.InPlace {
		read = append(read, h.space.GitDirs()...)
	}
	write := append([]string{followed(h.space.Dir()), followed(h.exchange()), tmp}, s.generator.write...)
	for _, path := range s.agentFolders(a, argv, env) {
		if _, steers := s.steers(path); !steers {
			write = append(write, path)
		}
	}
	return s.child(read, write)
}

// checkSandbox is what checks can reach beside their tree, which they may write,
// and their own HOME and TMPDIR. Setup commands are confined in the same way.
func (l *Loop) checkSandbox(commands [][]string) child.Sandbox {
	s := &l.sandbox
	if s.abi == 0 {
		return child.Sandbox{}
	}
	env := l.values(l.cfg.Verification.Env, s.checks.set)
	read := append(s.readable(env), l.spaces[0].Objects()...)
	for _, argv := range commands {
		read = append(read, s.program(argv, env["PATH"], "")...)
	}
	return s.child(read, s.checks.write)
}

func (s *sandbox) child(read, write []string) child.Sandbox {
	write = append(write, s.write...)
	return child.Sandbox{
		ABI: s.abi, NoNetwork: s.noNetwork, Fixed: s.fixed, Hidden: s.hidden, Read: outermost(append(read, s.read...)),
		Write: slices.DeleteFunc(write, func(path string) bool { return path == "" }),
	}
}

// tempDir is a new folder for what a try writes besides, "" without a sandbox:
// what others have in the system's own place is not for it.
func (h *host) tempDir() (string, error) {
	if h.sandbox.abi == 0 {
		return "", nil
	}
	dir, err := fsx.Scratch("").MkdirTemp(h.tempName("try"))
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(string(dir))
}

// endTempDir takes it away. What cannot be removed is left to the system, which
// owns that place.
func (h *host) endTempDir(dir string) {
	if dir != "" {
		_ = fsx.Scratch(dir).RemoveAll("")
	}
}
