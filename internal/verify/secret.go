package verify

import (
	"bytes"
	"regexp"
	"strings"

	"looprun.dev/looprun/internal/signature"
)

// credentials are forms that only a real credential has. What a test or a
// document could hold by chance is not among them: a find ends the task.
var credentials = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`),                // AWS
	regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36,255}\b`),            // GitHub
	regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`), // GitHub
	regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`),                   // GitLab
	regexp.MustCompile(`\bxox[abeoprs]-[0-9]{8,}-[A-Za-z0-9-]{20,}`),   // Slack
	regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}\b`),                    // Google
	regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{24,}\b`),              // Stripe
	regexp.MustCompile(`\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{60,}`),        // Anthropic
	regexp.MustCompile(`\bsk-proj-[A-Za-z0-9_-]{60,}`),                 // OpenAI
	regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`),                      // npm
	regexp.MustCompile(`\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}`),     // PyPI
	regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b`), // SendGrid
}

var (
	keyHeader = regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY(?: BLOCK)?-----`)
	keyBody   = regexp.MustCompile(`[A-Za-z0-9+/]{60,}`)
	// example marks the keys that vendors print in their own manuals.
	example = regexp.MustCompile(`(?i)example|(?:0123456789|abcdefghij|x{8})`)
)

// minSecret is the length from which a value of the environment is looked for.
// A shorter one stands in too many files by chance.
const minSecret = 8

// Secrets lists the files to which a patch adds a credential: one of a known
// form, a private key, or one of values, which are secrets of this machine.
// What the patch removes or leaves as it was does not count.
func Secrets(patch []byte, values []string) []signature.BoundaryError {
	var errs []signature.BoundaryError
	s := secretScan{values: values}
	eachAdded(patch, func(path string, line []byte) {
		if s.holds(path, line) {
			errs = append(errs, signature.BoundaryError{Code: Secret, Path: path})
		}
	})
	return bounded(errs)
}

// A secretScan remembers the line before: a private key's header alone stands
// in many programs, and only with a body below it is it a key.
type secretScan struct {
	values []string
	path   string
	header bool
}

func (s *secretScan) holds(path string, line []byte) bool {
	key := s.header && s.path == path && keyBody.Match(line)
	if key || keyHeader.Match(line) && keyBody.Match(line) {
		return true
	}
	// Headers such as Proc-Type stand between the first line and the body.
	between := s.header && s.path == path && (len(bytes.TrimSpace(line)) == 0 || bytes.Contains(line, []byte(": ")))
	s.path, s.header = path, keyHeader.Match(line) || between
	return s.isCredential(line)
}

func (s *secretScan) isCredential(line []byte) bool {
	for _, re := range credentials {
		for _, found := range re.FindAll(line, -1) {
			if !example.Match(found) {
				return true
			}
		}
	}
	for _, v := range s.values {
		if len(v) >= minSecret && bytes.Contains(line, []byte(strings.TrimSpace(v))) {
			return true
		}
	}
	return false
}
