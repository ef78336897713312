package task

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Fault is one thing wrong in a file from outside. Readers return all they
// find, so that one run shows them all. Line and Col are 1-based and count
// characters; 0 means that the fault has no place of its own.
type Fault struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Col     int    `json:"col,omitempty"`
	Field   string `json:"field,omitempty"` // the member's path, as limits.max_rounds
	Code    string `json:"code"`            // one of the codes below
	Msg     string `json:"msg"`
	Warning bool   `json:"warning,omitempty"` // worth telling, stops nothing
}

// The codes of faults. They are stable: scripts and reason files carry them,
// so a code is added, never renamed. The readers of task files and of
// loop.yaml share them.
const (
	// The bytes.
	CodeEmpty     = "empty"      // no bytes, or white space only
	CodeTruncated = "truncated"  // JSON that ends in the middle
	CodeTooLarge  = "too_large"  // more bytes than a reader takes
	CodeUTF16     = "utf16"      // looks like UTF-16
	CodeZeroBytes = "zero_bytes" // raw NUL bytes, as a crashed writer leaves them
	CodeNotUTF8   = "not_utf8"   // bytes that are no UTF-8
	CodeControl   = "control"    // a control character, or a tab where YAML wants spaces

	// The form.
	CodeSyntax        = "syntax"           // no JSON, no YAML
	CodeTrailingData  = "trailing_data"    // something after the end of the only document
	CodeNotAnObject   = "not_an_object"    // the top level is a list, a string, null, ...
	CodeTooDeep       = "too_deep"         // nested deeper than a reader goes
	CodeTooMany       = "too_many_members" // more members or items than a reader takes
	CodeLoneSurrogate = "lone_surrogate"   // half of a UTF-16 pair, as \ud800
	CodeNULEscape     = "nul_escape"       // \u0000 in a string
	CodeAlias         = "alias"            // a YAML anchor, alias or merge key
	CodeTag           = "tag"              // a YAML tag

	// The members.
	CodeDuplicateKey = "duplicate_key"
	CodeKeyCase      = "key_case" // a known name in another case
	CodeUnknownKey   = "unknown_key"
	CodeMissingKey   = "missing_key"
	CodeNewerSchema  = "newer_schema" // written for a later looprun

	// The values.
	CodeNull         = "null_value"
	CodeWrongType    = "wrong_type"
	CodeNotPlain     = "not_plain_number" // 1.0, 1e2, 010, 1_000
	CodeOutOfRange   = "out_of_range"
	CodeEmptyValue   = "empty_value"
	CodeDuplicate    = "duplicate_item" // the same twice in one list
	CodeBadValue     = "bad_value"      // a duration, amount, size, time, name or choice that is none
	CodeBadID        = "bad_id"
	CodeIDNotStem    = "id_not_stem" // the id differs from the file's name
	CodeBadGlob      = "bad_glob"
	CodeBadPath      = "bad_path"
	CodeBadRegex     = "bad_regex"
	CodeCycle        = "cycle" // a task after itself
	CodeConflict     = "conflict"
	CodeUnknownName  = "unknown_name"  // a profile, operation, strategy or category that is not there
	CodeNoCheck      = "no_check"      // nothing would verify the result
	CodeNoEffect     = "no_effect"     // warning: a setting that can never fire
	CodeBlind        = "blind_check"   // warning: what a check prints tells too little
	CodeAboveLimit   = "above_limit"   // warning: a task's limit above loop.yaml's
	CodeMissingFile  = "missing_file"  // no loop.yaml
	CodeUnsafeFile   = "unsafe_file"   // others could have written it
	CodeNotFound     = "not_found"     // a command that is not there
	CodeNotRunnable  = "not_runnable"  // a command that is a directory or not executable
	CodeFurtherFault = "further_fault" // how many faults more there are
)

// MaxFaults bounds how many faults of one file are told one by one.
const MaxFaults = 100

// String is FILE:LINE:COL: field: what is wrong; parts that are not known are
// left out.
func (f Fault) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(printable(f.File))
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Col)
		}
		b.WriteString(": ")
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	return b.String() + f.Msg
}

// printable quotes a file's name that would garble a line of output.
func printable(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` {
		return q
	}
	return name
}

// IsPartial tells whether faults are those of a file that may still be being
// written: empty, or JSON that ends in the middle. Anything else is complete
// and wrong, and waiting will not mend it.
func IsPartial(faults []Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool {
		return f.Code == CodeEmpty || f.Code == CodeTruncated
	})
}

// Split parts what stops from what is only worth telling.
func Split(all []Fault) (faults, warnings []Fault) {
	for _, f := range all {
		if f.Warning {
			warnings = append(warnings, f)
		} else {
			faults = append(faults, f)
		}
	}
	return faults, warnings
}

// Sort orders faults by their places; faults at one place keep their order.
func Sort(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}

// Clip shortens text of a file for a message, so that a hostile file cannot
// flood the output.
func Clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
