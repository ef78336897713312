package config

import (
	"strings"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Adapters are the presets that generator.adapter may name.
var Adapters = []string{"exec", "codex", "claude", "opencode", "gemini", "qwen", "pi"}

func (d *decoder) queue(q *Queue) reader {
	return d.section(map[string]reader{
		"concurrency":  count(d, &q.Concurrency, 1, 256),
		"rescan":       d.duration(&q.Rescan),
		"watch":        d.choice(&q.Watch, "auto", "events", "poll"),
		"max_unmerged": orNull(count(d, &q.MaxUnmerged, 1, maxCount)),
		"disk_floor":   d.size(&q.DiskFloor),
	})
}

func (d *decoder) workspace(w *Workspace) reader {
	return d.section(map[string]reader{
		"mode":             d.choice(&w.Mode, Isolated, InPlace),
		"base":             d.text(&w.Base, checkRevision),
		"dir":              orNull(d.text(&w.Dir, checkTilde)),
		"setup":            d.setup(&w.Setup),
		"share":            d.texts(&w.Share, task.CheckPath, checkControl),
		"allow_network_fs": d.flag(&w.AllowNetworkFS),
	})
}

func (d *decoder) setup(into *[]Setup) reader {
	return d.each(func(_ int, n node, path string) {
		s := Setup{Timeout: defaultSetupTimeout}
		d.entry(map[string]reader{
			"run":     d.argv(&s.Run),
			"inputs":  d.texts(&s.Inputs, task.CheckPath),
			"timeout": d.duration(&s.Timeout),
		}, "run")(n, path)
		*into = append(*into, s)
	})
}

// entry is a section that must be there, with some of its members.
func (d *decoder) entry(known map[string]reader, required ...string) reader {
	return func(n node, path string) {
		if !d.is(mapping, n, path) {
			return
		}
		d.section(known)(n, path)
		d.required(path, required...)
	}
}

func (d *decoder) land(l *Land) reader {
	return d.section(map[string]reader{
		"mode":   d.choice(&l.Mode, "branch", "merge", "patch", "none", "commit"),
		"branch": d.text(&l.Branch, checkBranch),
	})
}

func (d *decoder) generator(g *Generator) reader {
	return d.section(map[string]reader{
		"adapter":    d.choice(&g.Adapter, Adapters...),
		"command":    d.argv(&g.Command),
		"models":     d.texts(&g.Models),
		"resume":     d.flag(&g.Resume),
		"timeout":    d.duration(&g.Timeout),
		"silence":    d.duration(&g.Silence),
		"grace":      d.duration(&g.Grace),
		"probe":      orNull(d.argv(&g.Probe)),
		"summarizer": orNull(d.argv(&g.Summarizer)),
		"env":        d.env(&g.Env),
	})
}

func (d *decoder) env(e *Env) reader {
	return d.section(map[string]reader{
		"pass": d.texts(&e.Pass, checkVariable),
		"set": d.named(whyNoVariable, func(name string, n node, path string) {
			if !d.is(scalar, n, path) {
				return
			}
			if e.Set == nil {
				e.Set = map[string]string{}
			}
			e.Set[name] = n.text
		}),
	})
}

func (d *decoder) boundary(b *round.Boundary) reader {
	size := unit.Size(b.MaxBytes)
	read := d.section(map[string]reader{
		"allow":             d.allow(&b.Allow),
		"protect":           d.texts(&b.Protect, func(s string) (string, string) { return task.CheckGlob(strings.TrimPrefix(s, "!")) }),
		"max_changed_files": count(d, &b.MaxFiles, 1, maxCount),
		"max_changed_lines": count(d, &b.MaxLines, 1, maxCount),
		"max_bytes":         d.size(&size),
	})
	return func(n node, path string) {
		read(n, path)
		b.MaxBytes = size.Bytes()
	}
}

func (d *decoder) allow(into *[]string) reader {
	read := d.texts(into, task.CheckGlob, func(s string) (code, msg string) {
		if strings.HasPrefix(s, "!") {
			return task.CodeBadGlob, "\"!\" lifts a protection: it belongs in boundary.protect"
		}
		return "", ""
	})
	return func(n node, path string) {
		if n.kind == list && len(n.items) == 0 {
			d.add(path, task.CodeEmptyValue, "an empty list allows nothing: leave it out to allow every path")
		}
		read(n, path)
	}
}

func (d *decoder) stop(s *Stop) reader {
	return d.section(map[string]reader{
		"max_rounds_per_task": count(d, &s.MaxRounds, 1, maxCount),
		"same_failure_limit":  count(d, &s.SameFailure, 1, maxCount),
		"max_tries":           count(d, &s.MaxTries, 1, maxCount),
		"wall_clock":          d.duration(&s.WallClock),
		"deadline":            d.duration(&s.Deadline),
		"max_tokens":          count(d, &s.MaxTokens, 1, maxTokens),
		"cost_usd":            d.money(&s.Cost, 1),
		"min_try_cost_usd":    d.money(&s.MinTryCost, 0),
		"daily_cost_usd":      d.money(&s.DailyCost, 1),
	})
}

func (d *decoder) effects(into *map[string]round.Effect) reader {
	return d.named(whyNoName, func(name string, n node, path string) {
		e := round.Effect{Repeat: "never", Timeout: defaultEffectTimeout}
		d.entry(map[string]reader{
			"target":       d.text(&e.Target),
			"repeat":       d.choice(&e.Repeat, "safe", "keyed", "never"),
			"irreversible": d.flag(&e.Irreversible),
			"observe":      d.hook(&e.Observe),
			"compensate":   d.hook(&e.Compensate),
			"timeout":      d.duration(&e.Timeout),
		})(n, path)
		if *into == nil {
			*into = map[string]round.Effect{}
		}
		(*into)[name] = e
	})
}

// sandbox takes the mode alone as well.
func (d *decoder) sandbox(s *Sandbox) reader {
	mode := d.choice(&s.Mode, "auto", "require", "off")
	all := d.section(map[string]reader{
		"mode":    mode,
		"read":    d.texts(&s.Read, checkTilde),
		"write":   d.texts(&s.Write, checkTilde),
		"network": d.choice(&s.Network, "open", "none"),
	})
	return func(n node, path string) {
		if n.kind == scalar && !n.null() {
			mode(n, path)
			return
		}
		all(n, path)
	}
}
