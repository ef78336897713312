package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

// MaxBytes is the most that a loop.yaml may hold.
const MaxBytes = 256 << 10

// Parse reads loop.yaml. file is its path: it stands in the faults, and
// relative paths start at its folder. Every fault is returned, in order of
// place; the Config is whole only if there is none.
func Parse(file string, data []byte) (Config, []task.Fault) {
	c := Default()
	c.file, c.Dir = file, filepath.Dir(file)
	if abs, err := filepath.Abs(file); err == nil {
		c.Dir = filepath.Dir(abs)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if fault, bad := notText(data); bad {
		fault.File = file
		return c, []task.Fault{fault}
	}
	top, faults := readYAML(data)
	for i := range faults {
		faults[i].File = file
	}
	d := &decoder{file: file, places: map[string]place{"": {1, 1}}, faults: faults}
	switch {
	case len(faults) > 0 && top.kind != mapping: // told already
	case top.null():
		d.add("", task.CodeEmpty, "nothing is set: the least is\n\n%s", Example)
	case top.kind != mapping:
		d.add("", task.CodeNotAnObject, "must be a mapping of sections, is %s", top.kind)
	default:
		d.document(top, &c)
	}
	task.Sort(d.faults)
	c.places = d.places
	return c, d.bounded()
}

// notText finds what no YAML reader should be asked about.
func notText(data []byte) (task.Fault, bool) {
	if len(data) > MaxBytes {
		return task.Fault{Line: 1, Col: 1, Code: task.CodeTooLarge, Msg: fmt.Sprintf("%d bytes, at most %d are read", len(data), MaxBytes)}, true
	}
	line, col := 1, 1
	for rest := data; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		at := task.Fault{Line: line, Col: col}
		switch {
		case r == utf8.RuneError && n == 1 && (bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))):
			at.Code, at.Msg = task.CodeUTF16, "not UTF-8 (looks like UTF-16): save it as UTF-8"
			return at, true
		case r == utf8.RuneError && n == 1:
			at.Code, at.Msg = task.CodeNotUTF8, fmt.Sprintf("byte 0x%02x is not UTF-8", rest[0])
			return at, true
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f:
			at.Code, at.Msg = task.CodeControl, fmt.Sprintf("a control character, %q", r)
			return at, true
		}
		if col++; r == '\n' {
			line, col = line+1, 1
		}
		rest = rest[n:]
	}
	return task.Fault{}, false
}

// bounded keeps a file that is wrong throughout from flooding the output.
func (d *decoder) bounded() []task.Fault {
	if more := len(d.faults) - task.MaxFaults; more > 0 {
		last := task.Fault{File: d.file, Code: task.CodeFurtherFault, Msg: fmt.Sprintf("and %d faults more", more)}
		return append(d.faults[:task.MaxFaults:task.MaxFaults], last)
	}
	return d.faults
}

// document reads the sections. What one setting demands of another is looked
// at last, when both are known.
func (d *decoder) document(top node, c *Config) {
	if d.newer(top) {
		return
	}
	version := Version
	d.section(map[string]reader{
		"version":      count(d, &version, Version, Version),
		"queue":        d.queue(&c.Queue),
		"workspace":    d.workspace(&c.Workspace),
		"land":         d.land(&c.Land),
		"generator":    d.generator(&c.Generator),
		"verification": d.verification(&c.Verification),
		"boundary":     d.boundary(&c.Boundary),
		"stop":         d.stop(&c.Stop),
		"recovery":     d.recovery(&c.Recovery),
		"effects":      d.effects(&c.Effects),
		"sandbox":      d.sandbox(&c.Sandbox),
		"hooks":        d.hooks(&c.Hooks),
		"metrics":      d.metrics(&c.Metrics),
		"records":      d.records(&c.Records),
		"engine":       d.engine(&c.Engine),
	})(top, "")
	for _, check := range d.last {
		check()
	}
	d.agree(c)
	d.paths(*c)
}

// newer tells whether the file was written for a later looprun. Then nothing
// else is said of it, since unknown keys are to be expected.
func (d *decoder) newer(top node) bool {
	for _, p := range top.pairs {
		if p.key != "version" || !p.value.plain || !whole.MatchString(p.value.text) {
			continue
		}
		if n := p.value.text; n != "0" && n != "1" && n[0] != '-' {
			d.places["version"] = p.value.place
			d.add("version", task.CodeNewerSchema, "needs looprun >= %s.0: this one reads version %d", task.Clip(n), Version)
			return true
		}
	}
	return false
}

// givenChains are the categories whose chain is the file's own.
func (c Config) givenChains() []recovery.Category {
	var given []recovery.Category
	for category := range c.Recovery.Chains {
		if _, ok := c.Origin(member("recovery.chains", string(category))); ok {
			given = append(given, category)
		}
	}
	return given
}
