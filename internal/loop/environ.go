package loop

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/config"
)

// cacheMark in a value of env.set stands for a folder that looprun keeps
// between runs, beside the trees and out of the user's own caches.
const cacheMark = "{cache}"

// environ is what a child gets of looprun's own environment, and what
// loop.yaml sets: nothing else is inherited.
func (l *Loop) environ(e config.Env) []string {
	env := []string{}
	for _, name := range e.Pass {
		if value, ok := l.lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range e.Set {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// filled is e with the folder of caches in the place of its mark.
func filled(e config.Env, dir string) config.Env {
	set := make(map[string]string, len(e.Set))
	for name, value := range e.Set {
		set[name] = strings.ReplaceAll(value, cacheMark, dir)
	}
	e.Set = set
	return e
}

func (l *Loop) lookup(name string) (string, bool) {
	for _, entry := range slices.Backward(l.opts.Environ) {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

func (l *Loop) getenv(name string) string {
	value, _ := l.lookup(name)
	return value
}
