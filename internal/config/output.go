package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

func (d *decoder) hooks(h *Hooks) reader {
	return d.section(map[string]reader{
		"done":         d.hook(&h.Done),
		"blocked":      d.hook(&h.Blocked),
		"needs_input":  d.hook(&h.NeedsInput),
		"held":         d.hook(&h.Held),
		"breaker_open": d.hook(&h.BreakerOpen),
		"webhook":      orNull(d.text(&h.Webhook, checkURL)),
	})
}

func (d *decoder) metrics(m *Metrics) reader {
	return d.section(map[string]reader{"textfile_dir": orNull(d.text(&m.TextfileDir, checkTilde))})
}

func (d *decoder) records(r *Records) reader {
	return d.section(map[string]reader{
		"keep":       quantity(d, &r.Keep, parseKeep),
		"max_output": d.size(&r.MaxOutput),
		"redact":     d.texts(&r.Redact),
	})
}

var days = regexp.MustCompile(`^[1-9][0-9]{0,4}d$`)

// parseKeep takes days as well: nobody counts how long records are kept in
// hours.
func parseKeep(s string) (unit.Duration, error) {
	if days.MatchString(s) {
		n, err := strconv.Atoi(strings.TrimSuffix(s, "d"))
		return hours(24 * n), err
	}
	d, err := unit.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time to keep records: write it as \"30d\" or \"12h\"", task.Clip(s))
	}
	return d, nil
}

// engine is for another program to read, so any shape is kept as written.
func (d *decoder) engine(into *map[string]any) reader {
	return func(n node, path string) {
		if !n.null() && d.is(mapping, n, path) {
			*into, _ = n.value().(map[string]any)
		}
	}
}

func (n node) value() any {
	switch n.kind {
	case mapping:
		out := map[string]any{}
		for _, p := range n.pairs {
			out[p.key] = p.value.value()
		}
		return out
	case list:
		out := make([]any, len(n.items))
		for i, one := range n.items {
			out[i] = one.value()
		}
		return out
	}
	if n.null() {
		return nil
	}
	return n.text
}

func checkURL(s string) (code, msg string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return task.CodeBadValue, fmt.Sprintf("%q is no http or https address", task.Clip(s))
	}
	return "", ""
}
