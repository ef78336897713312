package extract

import (
	"encoding/json"
	"strings"
)

// readSARIF reads the results of static analysis: errors or, where there are
// none, warnings. What was suppressed or is gone does not count.
func readSARIF(doc []byte, f *found) bool {
	var log struct {
		Runs []struct {
			Results []sarifResult `json:"results"`
		} `json:"runs"`
	}
	if json.Unmarshal(doc, &log) != nil || log.Runs == nil {
		return false
	}
	errors, warnings := &found{masks: f.masks}, &found{masks: f.masks}
	for _, run := range log.Runs {
		for _, r := range run.Results {
			if len(r.Suppressions) > 0 || r.BaselineState == "absent" || r.Kind != "" && r.Kind != "fail" {
				continue
			}
			into := warnings
			if r.Level == "error" {
				into = errors
			}
			into.fail(r.path(), eslintRule(r.rule()), strings.TrimSuffix(r.Message.Text, "."))
		}
	}
	f.addLint(errors, warnings)
	return true
}

type sarifResult struct {
	RuleID string `json:"ruleId"`
	Rule   struct {
		ID string `json:"id"`
	} `json:"rule"`
	Level   string `json:"level"`
	Kind    string `json:"kind"`
	Message struct {
		Text string `json:"text"`
	} `json:"message"`
	BaselineState string            `json:"baselineState"`
	Suppressions  []json.RawMessage `json:"suppressions"`
	Locations     []struct {
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
		} `json:"physicalLocation"`
	} `json:"locations"`
}

func (r sarifResult) rule() string {
	if r.RuleID != "" {
		return r.RuleID
	}
	return r.Rule.ID
}

func (r sarifResult) path() string {
	if len(r.Locations) == 0 {
		return ""
	}
	return r.Locations[0].PhysicalLocation.ArtifactLocation.URI
}
