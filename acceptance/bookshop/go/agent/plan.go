package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A plan is what looprun tells every round but the first. This is the part
// that the agent goes by.
type plan struct {
	NewEvidence struct {
		FailedCommands []struct {
			Argv     []string `json:"argv"`
			Failures []struct {
				ID     string `json:"id"`
				Detail string `json:"detail"`
			} `json:"failures"`
		} `json:"failed_commands"`
	} `json:"new_evidence"`
}

// readPlan takes a plan that is not there for an empty one.
func readPlan(file string) (plan, error) {
	var p plan
	if file == "" {
		return p, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return p, fmt.Errorf("read plan: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("read plan %q: %w", file, err)
	}
	return p, nil
}

// failureOf finds the first failure of a check, by the check's command or by
// the name of the test.
func (p plan) failureOf(check string) (detail string, ok bool) {
	for _, c := range p.NewEvidence.FailedCommands {
		for _, f := range c.Failures {
			names := strings.ToLower(strings.Join(c.Argv, " ") + " " + f.ID)
			if strings.Contains(names, check) {
				return f.Detail, true
			}
		}
	}
	return "", false
}
