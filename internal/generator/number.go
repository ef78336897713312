package generator

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// Bounds of what a report may claim, so that sums over a task stay exact.
const (
	maxTokens = 1e12
	maxCost   = 1e6 // dollars
)

func (p *parser) usage(raw json.RawMessage) *round.Usage {
	if missing(raw) {
		return nil
	}
	m, ok := p.object("/usage", raw)
	if !ok {
		return nil
	}
	return &round.Usage{
		Input:      p.count("/usage/input", m["input"]),
		Output:     p.count("/usage/output", m["output"]),
		CacheRead:  p.count("/usage/cache_read", m["cache_read"]),
		CacheWrite: p.count("/usage/cache_write", m["cache_write"]),
	}
}

// count reads a whole number from 0 on.
func (p *parser) count(path string, raw json.RawMessage) int64 {
	if missing(raw) {
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 0 || n > maxTokens {
		p.fault(path, "want a whole number from 0 on, got %s", kind(raw))
		return 0
	}
	return n
}

// cost reads dollars, as a number or as a string like "0.25". What is finer
// than the unit of accounts is rounded up.
func (p *parser) cost(raw json.RawMessage) *unit.Money {
	if missing(raw) {
		return nil
	}
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || f < 0 || f > maxCost || math.IsNaN(f) {
		p.fault("/cost_usd", "want dollars from 0 on, got %s", kind(raw))
		return nil
	}
	micro := f * 1e6
	m := unit.Money(math.Ceil(micro))
	if near := math.Round(micro); math.Abs(micro-near) < 1e-3 {
		m = unit.Money(near)
	}
	return &m
}

// seconds reads a wait.
func (p *parser) seconds(path string, raw json.RawMessage) *float64 {
	if missing(raw) {
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		p.fault(path, "want a number of seconds, got %s", kind(raw))
		return nil
	}
	return &f
}

// kind says what a JSON value is, for the person or agent that wrote it.
func kind(raw json.RawMessage) string {
	s := strings.TrimSpace(string(raw))
	switch {
	case s == "" || s == "null":
		return "nothing"
	case s[0] == '{':
		return "an object"
	case s[0] == '[':
		return "a list"
	case s[0] == '"':
		return "the string " + clean(s, 40)
	}
	return clean(s, 40)
}
