package record

import (
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// An AttemptView is attempts/round-NNN.json: one round, from its plan to the
// decision that ended it.
type AttemptView struct {
	Schema     string        `json:"schema"`
	TaskID     string        `json:"task_id"`
	Round      int           `json:"round"`
	BasedOn    int           `json:"based_on"`
	PolicySHA  string        `json:"policy_sha"`
	Decision   task.Decision `json:"decision"`
	Reason     task.Reason   `json:"reason"`
	Rule       string        `json:"rule"`
	Signature  string        `json:"failure_signature,omitempty"`
	Version    int           `json:"signature_version,omitempty"`
	Input      string        `json:"signature_input,omitempty"` // what was hashed
	Family     string        `json:"family,omitempty"`
	Same       int           `json:"consecutive_same_failure"`
	Trend      string        `json:"trend,omitempty"`
	Generation Generation    `json:"generation"`
	Candidate  CandidateView `json:"candidate"`
	Tries      []TryView     `json:"tries"`
	Verified   *Verification `json:"verification"` // null: nothing was verified
	Sandbox    string        `json:"sandbox,omitempty"`
	Advice     task.Advice   `json:"advice,omitempty"`
}

// Generation is what the generator said of its last try.
type Generation struct {
	Status  string `json:"status"`
	Summary string `json:"summary"`
}

// A CandidateView is what the last try changed.
type CandidateView struct {
	Tree         string   `json:"tree"`
	Commit       string   `json:"commit"`
	ChangedFiles []string `json:"changed_files"`
	ChangedLines int      `json:"changed_lines"`
	Patch        string   `json:"patch,omitempty"`
}

// A TryView is one start of the generator.
type TryView struct {
	N              int               `json:"n"`
	Started        time.Time         `json:"started"`
	DurationMS     int64             `json:"duration_ms"`
	Strategy       recovery.Strategy `json:"strategy"`
	Mode           string            `json:"mode"`
	Model          string            `json:"model"`
	Category       recovery.Category `json:"category"`
	Rule           string            `json:"rule"`
	Detail         string            `json:"detail,omitempty"`
	Retryable      bool              `json:"retryable"`
	RetryAfterS    *float64          `json:"retry_after_s"`
	DelayMS        int64             `json:"delay_ms"` // the wait after it
	NotBefore      *time.Time        `json:"not_before"`
	Usage          *round.Usage      `json:"usage"` // null: not reported
	Cost           *unit.Money       `json:"cost_usd"`
	InnerRetries   int               `json:"inner_retries"`
	RequestSHA     string            `json:"request_sha256"`
	TreeAfter      string            `json:"tree_after"`
	Ended          string            `json:"ended"`
	ExitCode       int               `json:"exit_code"`
	Signal         string            `json:"signal,omitempty"`
	ProcessesEnded int               `json:"processes_ended"`
	ProcessControl string            `json:"process_control,omitempty"`
	Stdout         round.File        `json:"stdout"`
	Stderr         round.File        `json:"stderr"`
	Skipped        []round.Skip      `json:"skipped,omitempty"`
}

// A Verification is what looprun saw of the candidate.
type Verification struct {
	Accepted       bool                      `json:"accepted"`
	ChangedFiles   []string                  `json:"changed_files"`
	ChangedLines   int                       `json:"changed_lines"`
	BoundaryErrors []signature.BoundaryError `json:"boundary_errors"`
	Checks         []CheckView               `json:"checks"`
	RedToGreen     []string                  `json:"red_to_green"`
}

// A CheckView is one check of a verification.
type CheckView struct {
	Profile    string              `json:"profile"`
	Argv       []string            `json:"argv"`
	ExitCode   int                 `json:"exit_code"`
	Signal     string              `json:"signal"`
	DurationMS int64               `json:"duration_ms"`
	PathTaken  string              `json:"path_taken"`
	Failures   []signature.Failure `json:"failures"`
	Tests      TestsView           `json:"tests"`
	Flaky      bool                `json:"flaky"`
	Hidden     bool                `json:"hidden,omitempty"`
	Passed     bool                `json:"passed"`
	Notes      []string            `json:"notes,omitempty"`
	Stdout     round.File          `json:"stdout"`
	Stderr     round.File          `json:"stderr"`
}

// TestsView is how many tests the tool said it ran; null where it did not say.
type TestsView struct {
	Run    *int `json:"run"`
	Passed *int `json:"passed"`
}

// NewAttemptView renders the record of a round that has ended.
func NewAttemptView(s round.State, r *round.Round) AttemptView {
	d := r.Decision
	v := AttemptView{
		Schema: "looprun.attempt/1", TaskID: s.Task.ID, Round: r.N, BasedOn: r.BasedOn,
		PolicySHA: s.Claimed.PolicySHA, Decision: d.Kind, Reason: d.Reason, Rule: d.Rule,
		Signature: d.Signature.Hash, Version: d.Signature.Version, Input: d.Signature.Input, Family: d.Signature.Family,
		Same: d.Count, Trend: r.Trend, Advice: d.Advice, Tries: []TryView{},
		Candidate: CandidateView{ChangedFiles: []string{}},
	}
	for _, p := range r.Tries {
		v.Tries = append(v.Tries, newTryView(p))
		v.Generation = Generation{Status: p.Try.Status, Summary: p.Try.Summary}
		v.Candidate = newCandidateView(p.Try.Candidate)
		v.Sandbox = p.Try.Sandbox
	}
	if r.Judged {
		verified := newVerification(r.Evidence, v.Candidate)
		v.Verified = &verified
	}
	return v
}

func newTryView(p *round.Played) TryView {
	t, d := p.Try, p.Decision
	v := TryView{
		N: t.N, Started: t.Started, DurationMS: t.DurationMS,
		Strategy: t.Strategy, Mode: t.Mode, Model: t.Model,
		Category: t.Failure.Category, Rule: t.Failure.Rule, Detail: t.Failure.Detail, Retryable: t.Failure.Retryable,
		DelayMS: d.Delay.Std().Milliseconds(), Usage: t.Usage, Cost: t.Cost, InnerRetries: t.InnerRetries,
		RequestSHA: t.Request.SHA256, TreeAfter: t.Candidate.Tree,
		Ended: t.Ended, ExitCode: t.ExitCode, Signal: t.Signal,
		ProcessesEnded: t.ProcessesEnded, ProcessControl: t.ProcessControl,
		Stdout: t.Stdout, Stderr: t.Stderr, Skipped: d.Skipped,
	}
	if ra := t.Failure.RetryAfter; ra != nil {
		s := ra.Seconds()
		v.RetryAfterS = &s
	}
	if !d.NotBefore.IsZero() {
		v.NotBefore = &d.NotBefore
	}
	return v
}

func newCandidateView(c round.Candidate) CandidateView {
	v := CandidateView{Tree: c.Tree, Commit: c.Commit, ChangedLines: c.Lines, ChangedFiles: []string{}, Patch: c.Patch.Path}
	for _, change := range c.Changed {
		v.ChangedFiles = append(v.ChangedFiles, change.Path)
	}
	return v
}

func newVerification(e round.Evidence, c CandidateView) Verification {
	v := Verification{
		Accepted: e.Passed(), ChangedFiles: c.ChangedFiles, ChangedLines: c.ChangedLines,
		BoundaryErrors: e.Boundary, Checks: []CheckView{}, RedToGreen: e.RedToGreen,
	}
	if v.BoundaryErrors == nil {
		v.BoundaryErrors = []signature.BoundaryError{}
	}
	if v.RedToGreen == nil {
		v.RedToGreen = []string{}
	}
	for _, c := range e.Checks {
		v.Checks = append(v.Checks, newCheckView(c))
	}
	return v
}

func newCheckView(c round.CheckResult) CheckView {
	v := CheckView{
		Profile: c.Profile, Argv: c.Argv, ExitCode: c.ExitCode, Signal: c.Signal, DurationMS: c.DurationMS,
		PathTaken: c.PathTaken, Failures: c.Failures, Flaky: c.Flaky, Hidden: c.Hidden, Passed: c.Passed,
		Notes: c.Notes, Stdout: c.Stdout, Stderr: c.Stderr,
	}
	if v.Failures == nil {
		v.Failures = []signature.Failure{}
	}
	if c.Tests.Known {
		v.Tests = TestsView{Run: &c.Tests.Run, Passed: &c.Tests.Passed}
	}
	return v
}
