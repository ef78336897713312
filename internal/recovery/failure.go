package recovery

import (
	"slices"
	"time"
)

// A Failure is what a try ended with, classified.
type Failure struct {
	Category Category `json:"category"`
	Class    Class    `json:"class,omitempty"`
	Rule     string   `json:"rule,omitempty"` // the stable id of what decided: a built-in rule's, or a user pattern's
	// Retryable tells whether the same work may be tried again without a person,
	// after whatever wait.
	Retryable  bool           `json:"retryable"`
	RetryAfter *time.Duration `json:"retry_after_ns,omitempty"` // a wait that was asked for
	ResetAt    time.Time      `json:"reset_at,omitzero"`        // the instant at which the limit ends
	Status     int            `json:"status,omitempty"`         // HTTP
	Code       string         `json:"code,omitempty"`           // as the error gave it
	Detail     string         `json:"detail,omitempty"`         // the error's words on one line, bounded
}

// Wait is how long the failure asks to wait from now on. It believes no span
// and no instant that is past or too far ahead.
func (f Failure) Wait(now time.Time) (time.Duration, bool) {
	if f.RetryAfter != nil {
		if r := believeAfter(*f.RetryAfter); r.After != nil {
			return *r.After, true
		}
	}
	if f.ResetAt.IsZero() || now.IsZero() {
		return 0, false
	}
	at := moment{now: now}.believeAt(f.ResetAt).At
	return at.Sub(now), !at.IsZero()
}

// maxDetail bounds a Failure's Detail.
const maxDetail = 600

// unrepeatable are the categories in which the same work ends the same way
// until somebody changes something. A full context is among them: it is not
// the same work once it is made smaller.
var unrepeatable = []Category{
	None, ContextWindow, BoundaryViolation, SecretDetected, Tampered, NeedsInfo, PermissionDenied, Refused,
	Auth, ModelNotFound, ToolUnavailable, DiskFull, BaselineRed, CheckReadsOtherTree, CheckNotInBase,
	CheckEnvironment, GeneratorBroken, InvalidRequest,
}

// retryable answers for every category but quota_exhausted, which is retryable
// only if its window or reset is named.
func (cs Classes) retryable(c Category) bool {
	if c.custom() {
		return slices.Contains([]Class{Transient, Capacity, Form, Process}, cs.Of(c))
	}
	return !slices.Contains(unrepeatable, c)
}
