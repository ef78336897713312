package loop

import (
	"maps"
	"path/filepath"
	"strings"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
)

// cacheVariables name folders in which tools keep what they can make again, and
// believe what they find.
var cacheVariables = []string{
	"XDG_CACHE_HOME", "GOCACHE", "GOLANGCI_LINT_CACHE", "npm_config_cache", "NPM_CONFIG_CACHE", "YARN_CACHE_FOLDER",
	"PIP_CACHE_DIR", "UV_CACHE_DIR", "PRE_COMMIT_HOME", "MYPY_CACHE_DIR", "RUFF_CACHE_DIR", "PYTHONPYCACHEPREFIX",
	"CCACHE_DIR", "SCCACHE_DIR", "CARGO_TARGET_DIR", "TURBO_CACHE_DIR",
}

// A dress is what a sandbox changes in an environment, and the folders for
// writing that this calls for.
type dress struct {
	set   map[string]string
	write []string
}

// dress settles the caches of an environment; dir is looprun's own for it. A
// cache that the environment names is open, but not one in the user's home:
// whoever fills it can put programs into what the user builds. looprun's own
// takes its place then, unless sandbox.write names the user's.
func (l *Loop) dress(what string, e config.Env, dir string) dress {
	d := dress{set: map[string]string{}}
	if err := fsx.Scratch(dir).MkdirAll(""); err == nil {
		d.write = append(d.write, followed(dir))
	}
	values := l.values(e, nil)
	for _, name := range cacheVariables {
		value := values[name]
		if !filepath.IsAbs(value) || within(dir, value) {
			continue
		}
		if path := l.cacheAt(value); path != "" {
			d.write = append(d.write, path)
			continue
		}
		d.set[name] = filepath.Join(dir, strings.TrimPrefix(filepath.Base(value), "."))
		_ = fsx.Scratch(d.set[name]).MkdirAll("") // else its tool makes it
		l.warn("%s: %s is %s, in the home that the sandbox closes: %s takes its place. Name it in sandbox.write to have it used", what, name, value, d.set[name])
	}
	return d
}

// cacheAt is a folder that may be used as a cache, made if it is missing; "" if
// it may not.
func (l *Loop) cacheAt(path string) string {
	s := &l.sandbox
	own := func(p string) bool {
		for _, open := range s.write {
			if within(open, p) {
				return false
			}
		}
		return s.home != "" && (within(s.home, p) || within(p, s.home))
	}
	if own(path) || fsx.Scratch(path).MkdirAll("") != nil {
		return ""
	}
	path = followed(path)
	if _, steers := s.steers(path); steers || own(path) {
		return ""
	}
	return path
}

// generatorSet is generator.env.set for a try whose temporary files go to tmp.
// In a sandbox tools find a cache that they can write without being told.
func (l *Loop) generatorSet(tmp string) map[string]string {
	set := maps.Clone(l.cfg.Generator.Env.Set)
	if l.sandbox.abi == 0 {
		return set
	}
	maps.Copy(set, l.sandbox.generator.set)
	values, dir := l.values(l.cfg.Generator.Env, nil), l.cacheDir("generator")
	for name, value := range map[string]string{"TMPDIR": tmp, "XDG_CACHE_HOME": dir, "npm_config_cache": filepath.Join(dir, "npm")} {
		if _, own := set[name]; !own && (name == "TMPDIR" || values[name] == "") {
			set[name] = value
		}
	}
	return set
}

// checkEnviron is verification.env as the checks get it.
func (l *Loop) checkEnviron() []string {
	e := l.cfg.Verification.Env
	e.Set = maps.Clone(e.Set)
	maps.Copy(e.Set, l.sandbox.checks.set)
	return l.environ(e)
}

// values are the variables of an environment by name, with more that win.
func (l *Loop) values(e config.Env, more map[string]string) map[string]string {
	values := map[string]string{}
	for _, name := range e.Pass {
		if value, ok := l.lookup(name); ok {
			values[name] = value
		}
	}
	maps.Copy(values, e.Set)
	maps.Copy(values, more)
	return values
}

// fillCaches puts looprun's own folders of caches into the environments.
func (l *Loop) fillCaches() {
	l.cfg.Generator.Env = filled(l.cfg.Generator.Env, l.cacheDir("generator"))
	l.cfg.Verification.Env = filled(l.cfg.Verification.Env, l.cacheDir("checks"))
}

// cacheDir is a folder that looprun keeps between runs, beside the trees. That
// of the checks is not that of the generator, which could otherwise put into it
// what the checks run.
func (l *Loop) cacheDir(of string) string { return filepath.Join(l.stateDir(), "cache", of) }
