// Package signature gives a failure its stable name: two failures that are the
// same for a person get the same one, whatever the time, place, order or
// colour of the output. In doubt two failures are different, since a false
// merge stops a task that makes progress. The package is pure.
package signature

// A Failure is one thing that a check reported as failed: which test, what
// kind of error, and the stable part of what was said.
type Failure struct {
	ID     string `json:"id"`
	Class  string `json:"class"`
	Detail string `json:"detail"`
}

// A BoundaryError is one way in which a candidate left its boundary: a stable
// code and the path that it concerns.
type BoundaryError struct {
	Code string `json:"code"`
	Path string `json:"path"`
}

// Tests are the numbers that a test tool printed of itself, and the ids of
// the tests where it printed them. Run does not count skipped tests, so
// Known with Run 0 means that no test ran.
type Tests struct {
	Known   bool     `json:"known,omitempty"` // the tool said how many it ran
	Run     int      `json:"run"`
	Passed  int      `json:"passed"`
	Skipped int      `json:"skipped,omitempty"`
	Ran     []string `json:"ran,omitempty"`        // ids, sorted
	Green   []string `json:"passed_ids,omitempty"` // ids, sorted
}

// A Check is what one run of a check command showed.
type Check struct {
	Argv      []string  `json:"argv"`
	ExitCode  int       `json:"exit_code"`
	Signal    string    `json:"signal,omitempty"` // as "SEGV"; ExitCode is then -1
	PathTaken string    `json:"path_taken,omitempty"`
	Failures  []Failure `json:"failures,omitempty"` // sorted, distinct
	Dropped   int       `json:"failures_dropped,omitempty"`
	Tests     Tests     `json:"tests,omitzero"`
}

// Evidence is what looprun itself saw of a candidate.
type Evidence struct {
	BoundaryErrors []BoundaryError `json:"boundary_errors"`
	Checks         []Check         `json:"checks"`
	Masks          string          `json:"masks,omitempty"` // Sum of the user's masks that the failures went through
}

// A Signature names a failure. Only signatures of one Version can be equal.
type Signature struct {
	Hash    string `json:"signature"` // first 16 hex digits of the SHA-256 of Input
	Version int    `json:"signature_version"`
	Family  string `json:"family,omitempty"` // the same with every number masked; for reports only
	Input   string `json:"input,omitempty"`  // the canonical JSON that was hashed
}
