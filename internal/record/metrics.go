package record

import (
	"encoding/json"
	"fmt"
)

const (
	metricsFile   = "metrics.json"
	metricsSchema = "looprun.metrics/1"
)

// Metrics is metrics.json: the tally of all journals, for tools. It is brought
// up to date while looprun runs, without reading a journal again.
type Metrics struct {
	Schema string `json:"schema"`
	Tally
	Marks
}

func newMetrics() Metrics {
	return Metrics{Schema: metricsSchema, Marks: Marks{Counted: map[string]int{}}}
}

func parseMetrics(data []byte) (Metrics, error) {
	var m Metrics
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	if m.Schema != metricsSchema || m.Counted == nil {
		return m, fmt.Errorf("its schema is %q, not %q", m.Schema, metricsSchema)
	}
	m.prune()
	return m, nil
}

// prune drops what a file by another hand may hold and no count can be added to.
func (t *Tally) prune() {
	dropNil(t.ByCategory)
	dropNil(t.ByStrategy)
	dropNil(t.Costs)
	dropNil(t.Profiles)
	for _, byStrategy := range t.Recoveries {
		dropNil(byStrategy)
	}
}

func dropNil[K comparable, V any](m map[K]*V) {
	for k, v := range m {
		if v == nil {
			delete(m, k)
		}
	}
}

// count adds the lines of a task that are not counted yet.
func (m *Metrics) count(id string, lines []Line) {
	m.Add(lines, m.Counted[id], noTime)
	m.reach(id, lines)
}
