package config

import (
	"path"
	"strings"
)

// A Value is one setting as it holds: from loop.yaml, or built in.
type Value struct {
	Path  string
	Value any // in the form that encoding/json gives it the words of loop.yaml
	Line  int // of loop.yaml; 0: it is built in
}

// Values are all settings, in the order of the reference. Values of variables
// whose names are those of secrets are left out.
func (c Config) Values() []Value {
	l := &listing{Config: c}
	l.add("version", Version)
	l.queue()
	l.workspace()
	l.generator()
	l.verification()
	l.bounds()
	l.recovery()
	l.effects()
	l.rest()
	return l.all
}

// A listing gathers the settings of a Config.
type listing struct {
	Config
	all []Value
}

func (l *listing) add(path string, value any) {
	line, _ := l.Origin(path)
	l.all = append(l.all, Value{path, value, line})
}

// texts shows a list that is not there as an empty one.
func (l *listing) texts(path string, list []string) {
	if list == nil {
		list = []string{}
	}
	l.add(path, list)
}

// text shows an empty text as null.
func (l *listing) text(path, text string) {
	if text == "" {
		l.add(path, nil)
		return
	}
	l.add(path, text)
}

// command shows one that is not there as null.
func (l *listing) command(path string, argv []string) {
	if len(argv) == 0 {
		l.add(path, nil)
		return
	}
	l.add(path, argv)
}

func (l *listing) env(path string, e Env) {
	l.texts(path+".pass", e.Pass)
	l.add(path+".set", l.redacted(e.Set))
}

func (l *listing) redacted(set map[string]string) map[string]string {
	shown := map[string]string{}
	for name, value := range set {
		if l.isSecret(name) {
			value = "[redacted]"
		}
		shown[name] = value
	}
	return shown
}

func (c Config) isSecret(name string) bool {
	for _, glob := range c.Records.Redact {
		if ok, err := path.Match(strings.ToUpper(glob), strings.ToUpper(name)); ok && err == nil {
			return true
		}
	}
	return false
}
