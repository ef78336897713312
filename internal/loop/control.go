package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
)

// A guarded path is one that steers looprun, and what it is called.
type guarded struct{ name, path string }

// setApart notes what looprun has of its own, and what only root can read.
func (l *Loop) setApart() {
	s := &l.sandbox
	s.control = l.control()
	for _, g := range s.control {
		s.private = append(s.private, g.path)
	}
	if self, err := os.Executable(); err == nil { // no secret
		s.control = append(s.control, guarded{"looprun itself", followed(self)})
	}
	if os.Geteuid() == 0 { // whose files no mode protects
		s.private = append(s.private, rootSecrets...)
	}
	if l.cfg.Workspace.Mode == config.InPlace && child.OwnMounts() {
		for _, name := range []string{TasksDir, config.FileName, ".git"} {
			s.fixed = append(s.fixed, filepath.Join(followed(l.cfg.Dir), name))
		}
		s.hidden = []string{filepath.Join(followed(l.cfg.Dir), LoopDir)}
	}
}

// openListed takes over sandbox.read and sandbox.write.
func (l *Loop) openListed() error {
	s := &l.sandbox
	for i, path := range l.cfg.Sandbox.Read {
		s.read = append(s.read, l.listed("read", i, path)...)
	}
	for i, path := range l.cfg.Sandbox.Write {
		paths := l.listed("write", i, path)
		for _, p := range paths {
			if name, ok := s.steers(p); ok {
				return fmt.Errorf("%w: sandbox.write[%d]: %q would open %s to the generator", ErrSandbox, i, path, name)
			}
		}
		s.write = append(s.write, paths...)
	}
	return nil
}

// control lists what steers looprun. The trees and the records of git lie below
// the state directory; what a process gets of that is opened one by one.
func (l *Loop) control() []guarded {
	list := []guarded{
		{"tasks/", filepath.Join(l.cfg.Dir, TasksDir)}, {".loop/", l.store.Path()},
		{config.FileName, filepath.Join(l.cfg.Dir, config.FileName)},
		{"looprun's state directory", l.stateRoot()},
	}
	for _, dir := range l.spaces[0].GitDirs() {
		list = append(list, guarded{"git's directory", dir})
	}
	for _, checks := range l.cfg.Verification.Profiles {
		for _, c := range checks {
			if c.Hidden != "" {
				list = append(list, guarded{"hidden checks", l.cfg.Resolve(c.Hidden)})
			}
		}
	}
	for i, g := range list {
		list[i].path = followed(g.path)
	}
	return slices.DeleteFunc(list, func(g guarded) bool { return g.path == "" })
}

// listed is a path of loop.yaml without links. One that is not there opens
// nothing, which is told: it may be meant for another machine.
func (l *Loop) listed(kind string, i int, path string) []string {
	if p := followed(l.cfg.Resolve(path)); p != "" {
		return []string{p}
	}
	l.warn("sandbox.%s[%d]: %q is not there", kind, i, path)
	return nil
}

// steers tells what of looprun's own lies at a path, above it or below it.
func (s *sandbox) steers(path string) (name string, yes bool) {
	for _, g := range s.control {
		if within(g.path, path) || within(path, g.path) {
			return g.name, true
		}
	}
	return "", false
}
