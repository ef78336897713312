package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

func (d *decoder) patterns(into *[]recovery.Pattern) reader {
	return d.each(func(_ int, n node, path string) {
		var p recovery.Pattern
		category, class := "", ""
		d.entry(map[string]reader{
			"id":          d.text(&p.ID, checkName),
			"when":        d.when(&p),
			"category":    d.text(&category),
			"class":       d.text(&class),
			"retry_after": orNull(d.retryAfter(&p)),
		}, "id", "when", "category")(n, path)
		p.Category, p.Class = recovery.Category(category), recovery.Class(class)
		if slices.ContainsFunc(*into, func(other recovery.Pattern) bool { return other.ID == p.ID && p.ID != "" }) {
			d.add(member(path, "id"), task.CodeDuplicate, "pattern %q is given twice", p.ID)
		}
		d.classified(p, path)
		*into = append(*into, p)
	})
}

func (d *decoder) when(p *recovery.Pattern) reader {
	return func(n node, path string) {
		d.entry(map[string]reader{
			"stage":   d.choice(&p.Stage, recovery.StageGenerator, recovery.StageCheck),
			"source":  d.choice(&p.Source, recovery.SourceError, recovery.SourceStderr, recovery.SourceEvent),
			"regex":   d.pattern(&p.Regex),
			"pointer": d.text(&p.Pointer, checkPointer),
			"equals":  d.text(&p.Equals),
		})(n, path)
		if n.kind != mapping {
			return
		}
		given := func(name string) bool { return d.given(member(path, name)) }
		switch {
		case given("regex") == given("pointer"):
			d.add(path, task.CodeConflict, "needs either regex, or pointer and equals")
		case given("pointer") != given("equals"):
			d.add(path, task.CodeConflict, "pointer and equals need each other")
		case given("pointer") && p.Source != "" && p.Source != recovery.SourceEvent:
			d.add(member(path, "source"), task.CodeConflict, "pointer reads the event, not %s", p.Source)
		}
	}
}

func checkPointer(s string) (code, msg string) {
	if !strings.HasPrefix(s, "/") {
		return task.CodeBadValue, fmt.Sprintf("%q does not begin with a slash, as /error/code does", task.Clip(s))
	}
	return "", ""
}

func (d *decoder) retryAfter(p *recovery.Pattern) reader {
	return func(n node, path string) {
		r := recovery.RetryAfter{}
		d.entry(map[string]reader{
			"regex": d.pattern(&r.Regex),
			"unit":  d.choice(&r.Unit, "s", "ms", "m", "h"),
		}, "regex", "unit")(n, path)
		if r.Regex != "" && groups(r.Regex) == 0 {
			d.add(member(path, "regex"), task.CodeBadRegex, "needs a group around the number")
		}
		p.RetryAfter = &r
	}
}

// classified looks at the category of a pattern, and at the class that a
// category of the user's own needs and another has already.
func (d *decoder) classified(p recovery.Pattern, path string) {
	at, class := member(path, "category"), member(path, "class")
	own := strings.HasPrefix(string(p.Category), "x-")
	switch {
	case p.Category == "":
	case !recovery.KnownCategory(p.Category):
		d.known(at, "category", string(p.Category), words(recovery.Categories()))
	case own && p.Class == "":
		d.add(class, task.CodeMissingKey, "missing: category %q needs a class", task.Clip(string(p.Category)))
	case p.Class == "":
	case !recovery.KnownClass(p.Class):
		d.known(class, "class", string(p.Class), classes)
	case !own && p.Class != p.Category.Class():
		d.add(class, task.CodeConflict, "%s is of class %s", p.Category, p.Category.Class())
	}
}

var classes = words([]recovery.Class{
	recovery.Transient, recovery.Capacity, recovery.Form, recovery.Work, recovery.Guard,
	recovery.Process, recovery.Input, recovery.Ambient, recovery.Other,
})

func words[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// groups counts the groups of an expression, 0 for one that is none.
func groups(regex string) int {
	re, err := regexp.Compile(regex)
	if err != nil {
		return 0
	}
	return re.NumSubexp()
}
