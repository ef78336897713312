package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature/extract"
	"looprun.dev/looprun/internal/task"
)

func (d *decoder) verification(v *Verification) reader {
	return d.section(map[string]reader{
		"profiles":     d.profiles(&v.Profiles),
		"always":       d.names(&v.Always, "profile", v.profileNames),
		"baseline":     d.flag(&v.Baseline),
		"canary":       d.flag(&v.Canary),
		"canary_skip":  d.canarySkip(v),
		"flaky_reruns": count(d, &v.FlakyReruns, 0, maxCount),
		"env":          d.env(&v.Env),
		"masks":        d.masks(&v.Masks),
	})
}

func (d *decoder) profiles(into *map[string][]round.Check) reader {
	return d.named(whyNoName, func(name string, n node, path string) {
		if n.kind == list && len(n.items) == 0 {
			d.add(path, task.CodeEmptyValue, "a profile needs a check")
		}
		checks := []round.Check{}
		d.each(func(_ int, n node, path string) {
			check := round.Check{Timeout: defaultCheckTimeout, Format: "auto", Dir: "."}
			d.check(&check)(n, path)
			checks = append(checks, check)
		})(n, path)
		if *into == nil {
			*into = map[string][]round.Check{}
		}
		(*into)[name] = checks
	})
}

func (d *decoder) check(c *round.Check) reader {
	return d.entry(map[string]reader{
		"run":     d.argv(&c.Run),
		"timeout": d.duration(&c.Timeout),
		"report":  orNull(d.text(&c.Report, task.CheckPath)),
		"format":  d.choice(&c.Format, append([]string{"auto"}, extract.Formats()...)...),
		"hidden":  orNull(d.text(&c.Hidden, checkTilde)),
		"dir":     d.text(&c.Dir, checkDir),
	}, "run")
}

// checkDir is task.CheckPath, where "." is the root of the tree.
func checkDir(s string) (code, msg string) {
	return task.CheckPath(strings.TrimPrefix(s, "./"))
}

func (v *Verification) profileNames() []string { return slices.Collect(maps.Keys(v.Profiles)) }

// names reads a list of names that are defined elsewhere in the file.
func (d *decoder) names(into *[]string, what string, defined func() []string) reader {
	read := d.texts(into)
	return func(n node, path string) {
		read(n, path)
		d.later(func() {
			names := defined()
			for i, one := range n.items {
				if one.kind == scalar && one.text != "" && !one.null() {
					d.known(item(path, i), what, one.text, names)
				}
			}
		})
	}
}

// known records a name that is defined nowhere. Behind many faults it no longer
// looks for the nearest one: in a file of nothing but slips that takes time.
func (d *decoder) known(path, what, name string, names []string) {
	if len(d.faults) > task.MaxFaults && !slices.Contains(names, name) {
		d.add(path, task.CodeUnknownName, "unknown %s %q", what, task.Clip(name))
		return
	}
	if msg := task.UnknownName(what, name, names); msg != "" {
		d.add(path, task.CodeUnknownName, "%s", msg)
	}
}

func (d *decoder) canarySkip(v *Verification) reader {
	return d.named(whyNoName, func(name string, n node, path string) {
		reason := ""
		d.text(&reason)(n, path)
		if v.CanarySkip == nil {
			v.CanarySkip = map[string]string{}
		}
		v.CanarySkip[name] = reason
		d.later(func() { d.known(path, "profile", name, v.profileNames()) })
	})
}

func (d *decoder) masks(into *[]round.Mask) reader {
	return d.each(func(_ int, n node, path string) {
		var m round.Mask
		d.entry(map[string]reader{
			"name":  d.text(&m.Name, checkName),
			"regex": d.mask(&m.Regex),
		}, "name", "regex")(n, path)
		if slices.ContainsFunc(*into, func(other round.Mask) bool { return other.Name == m.Name && m.Name != "" }) {
			d.add(path+".name", task.CodeDuplicate, "mask %q is given twice", m.Name)
		}
		*into = append(*into, m)
	})
}

// mask refuses an expression that matches the empty text: it would stand
// between any two characters, and every failure would look alike.
func (d *decoder) mask(into *string) reader {
	read := d.pattern(into)
	return func(n node, path string) {
		read(n, path)
		if re, err := regexp.Compile(n.text); err == nil && n.kind == scalar && n.text != "" && re.MatchString("") {
			d.add(path, task.CodeBadRegex, "matches the empty text, so it would mask everything")
		}
	}
}
