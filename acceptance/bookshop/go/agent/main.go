// Agent stands in for a coding agent, so that looprun can be tried without one.
// It follows a script: it knows two tasks, gets one of them wrong at first, and
// never gets on with the other. All that it learns, it learns as a real agent
// would: from variables and from the plan that looprun wrote. It edits one file
// of the tree and writes one report.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

// A report is what the agent says of its own work. looprun believes none of
// it: the checks decide.
type report struct {
	Status   string `json:"status"` // candidate_ready, needs_input
	Summary  string `json:"summary"`
	Approach string `json:"approach,omitempty"` // named to the next round if this one fails
	Question string `json:"question,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

func run() error {
	round, err := strconv.Atoi(os.Getenv("LOOPRUN_ROUND"))
	if err != nil {
		return fmt.Errorf("read LOOPRUN_ROUND: %w", err)
	}
	r, err := work(os.Getenv("LOOPRUN_TASK_ID"), round, os.Getenv("LOOPRUN_PLAN"))
	if err != nil {
		return err
	}
	fmt.Println(r.Summary)
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	return os.WriteFile(os.Getenv("LOOPRUN_REPORT"), data, 0o600)
}

// work is one round: what a real agent would ask a model for.
func work(task string, round int, planFile string) (report, error) {
	switch task {
	case "issue-005":
		if round == 1 {
			return claimDone(), nil
		}
		return learn(planFile)
	case "issue-006":
		return report{
			Status:   "candidate_ready",
			Summary:  "It is unclear how a query names a publisher; nothing was changed.",
			Approach: "look for a convention in the code and in the tests",
		}, nil
	}
	return report{
		Status:   "needs_input",
		Summary:  "This task is not in the script.",
		Question: "The scripted agent knows issue-005 and issue-006 only. Name your own agent in loop.yaml, under generator?",
	}, nil
}

// claimDone is the mistake of the first round.
func claimDone() report {
	return report{
		Status:   "candidate_ready",
		Summary:  "The search folds case and width already, and that takes care of accents; nothing was changed.",
		Approach: "rely on the folding of case and width",
	}
}

// learn edits the search if the plan shows that the check for accents failed.
// Without that it would be guessing, so it asks.
func learn(planFile string) (report, error) {
	p, err := readPlan(planFile)
	if err != nil {
		return report{}, err
	}
	failure, ok := p.failureOf("diacritics")
	if !ok {
		return report{
			Status:   "needs_input",
			Summary:  "The plan holds no failure of the check for accents; nothing was changed.",
			Question: "What did the last round show?",
		}, nil
	}
	if err := foldAccents(); err != nil {
		return report{}, err
	}
	return report{
		Status:   "candidate_ready",
		Summary:  "The search now folds accents, as this check asks: " + failure,
		Approach: "fold each accented letter to the plain one, and drop accents that stand by themselves",
	}, nil
}
