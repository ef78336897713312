package config

import (
	"fmt"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/task"
)

type kind byte

const (
	scalar kind = iota
	list
	mapping
	refused // told already: whoever meets it says no more
)

func (k kind) String() string {
	return [...]string{"a single value", "a list", "a mapping", "refused"}[k]
}

// A node is one value of the file.
type node struct {
	place
	kind  kind
	text  string // of a scalar, as written
	plain bool   // a scalar without quotes
	pairs []pair
	items []node
}

type pair struct {
	key   string
	place place
	value node
}

// null tells whether n is empty, or one of the words for it.
func (n node) null() bool {
	return n.kind == scalar && n.plain && (n.text == "" || n.text == "~" || n.text == "null" || n.text == "Null" || n.text == "NULL")
}

// A reader takes the value of one setting.
type reader func(n node, path string)

// A decoder goes through the file once, keeps the place of everything that it
// meets and gathers all faults.
type decoder struct {
	file   string
	places map[string]place
	faults []task.Fault
	last   []func()
}

// later puts off what can be told only when the whole file is read.
func (d *decoder) later(check func()) { d.last = append(d.last, check) }

// given tells whether the file has the setting.
func (d *decoder) given(path string) bool {
	_, ok := d.places[path]
	return ok
}

// add records a fault of the setting at path. Where the setting is not in the
// file, the fault stands at the nearest thing around it that is.
func (d *decoder) add(path, code, format string, args ...any) {
	at := d.places[path]
	for around := path; at.line == 0 && around != ""; at = d.places[around] {
		around = parent(around)
	}
	d.faults = append(d.faults, task.Fault{
		File: d.file, Line: at.line, Col: at.col, Field: path, Code: code, Msg: fmt.Sprintf(format, args...),
	})
}

// faulty tells whether the setting, something in it or what holds it has a
// fault already.
func (d *decoder) faulty(path string) bool {
	return slices.ContainsFunc(d.faults, func(f task.Fault) bool {
		return f.Field != "" && (within(f.Field, path) || within(path, f.Field))
	})
}

// within tells whether path is setting or a part of it.
func within(path, setting string) bool {
	rest, ok := strings.CutPrefix(path, setting)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// is records both kinds where n is not what is wanted.
func (d *decoder) is(want kind, n node, path string) bool {
	switch {
	case n.kind == want && (want != scalar || !n.null()):
		return true
	case n.kind == refused:
	case n.null():
		d.add(path, task.CodeNull, "has no value: leave the key out for the default")
	default:
		d.add(path, task.CodeWrongType, "must be %s, is %s", want, n.kind)
	}
	return false
}

// section reads a mapping whose keys are known. One without any member is as
// good as missing: people comment out what stood in it.
func (d *decoder) section(known map[string]reader) reader {
	return func(n node, path string) {
		if n.null() || !d.is(mapping, n, path) {
			return
		}
		for _, p := range n.pairs {
			here := member(path, p.key)
			read, ok := known[p.key]
			if !ok {
				d.places[here] = p.place
				d.unknown(p.key, here, known)
				continue
			}
			d.places[here] = p.value.place
			read(p.value, here)
		}
	}
}

func (d *decoder) unknown(key, path string, known map[string]reader) {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	code, msg := task.CodeUnknownKey, fmt.Sprintf("unknown key %q", task.Clip(key))
	if near, ok := task.Nearest(key, names); ok {
		if strings.EqualFold(near, key) {
			code = task.CodeKeyCase
		}
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	d.add(path, code, "%s", msg)
}

// named reads a mapping whose keys the user chooses.
func (d *decoder) named(check func(name string) string, read func(name string, n node, path string)) reader {
	return func(n node, path string) {
		if n.null() || !d.is(mapping, n, path) {
			return
		}
		for _, p := range n.pairs {
			here := member(path, p.key)
			d.places[here] = p.place
			if why := check(p.key); why != "" {
				d.add(here, task.CodeBadValue, "%s", why)
				continue
			}
			d.places[here] = p.value.place
			read(p.key, p.value, here)
		}
	}
}

// each reads the items of a list.
func (d *decoder) each(read func(i int, n node, path string)) reader {
	return func(n node, path string) {
		if !d.is(list, n, path) {
			return
		}
		for i, one := range n.items {
			here := item(path, i)
			d.places[here] = one.place
			read(i, one, here)
		}
	}
}

// required records which members of a mapping are missing.
func (d *decoder) required(path string, names ...string) {
	for _, name := range names {
		if !d.given(member(path, name)) {
			d.add(member(path, name), task.CodeMissingKey, "missing")
		}
	}
}
