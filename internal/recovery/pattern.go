package recovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Pattern is a user's rule of loop.yaml: text that names a category.
type Pattern struct {
	ID         string      `json:"id"`
	Stage      string      `json:"stage,omitempty"`   // generator, check, "" for both
	Source     string      `json:"source,omitempty"`  // error, stderr, event, "" for error and stderr
	Regex      string      `json:"regex,omitempty"`   // on the text of Source
	Pointer    string      `json:"pointer,omitempty"` // JSON pointer into the terminal event
	Equals     string      `json:"equals,omitempty"`  // what stands there
	Category   Category    `json:"category"`
	Class      Class       `json:"class,omitempty"` // for an x- category
	RetryAfter *RetryAfter `json:"retry_after,omitempty"`
}

// A RetryAfter finds the wait in the text that a Pattern matched.
type RetryAfter struct {
	Regex string `json:"regex"` // its first group is the number
	Unit  string `json:"unit"`  // s, ms, m, h
}

// The stages and sources of a Pattern.
const (
	StageGenerator = "generator"
	StageCheck     = "check"
	SourceError    = "error"
	SourceStderr   = "stderr"
	SourceEvent    = "event"
)

// A CompiledPattern is a Pattern that is known to be sound.
type CompiledPattern struct {
	Pattern
	text *regexp.Regexp
	wait *regexp.Regexp
}

var waitUnits = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour}

// Compile checks a pattern; the error joins all its faults.
func (p Pattern) Compile() (CompiledPattern, error) {
	c := CompiledPattern{Pattern: p}
	var errs []error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(p.ID == "", "id: must not be empty")
	fault(!slices.Contains([]string{"", StageGenerator, StageCheck}, p.Stage), "stage: %q is not generator or check", p.Stage)
	fault(!slices.Contains([]string{"", SourceError, SourceStderr, SourceEvent}, p.Source), "source: %q is not error, stderr or event", p.Source)
	fault((p.Regex == "") == (p.Pointer == ""), "needs either regex or pointer")
	fault(p.Pointer != "" && !strings.HasPrefix(p.Pointer, "/"), "pointer: %q does not begin with a slash", p.Pointer)
	fault(p.Pointer != "" && p.Source != "" && p.Source != SourceEvent, "pointer: reads the event, not %s", p.Source)
	fault(p.Pointer == "" && p.Equals != "", "equals: needs pointer")
	fault(!KnownCategory(p.Category), "category: unknown category %q", p.Category)
	fault(p.Category.custom() && p.Class == "", "class: category %q must name its class", p.Category)
	fault(p.Class != "" && !KnownClass(p.Class), "class: unknown class %q", p.Class)
	fault(p.Class != "" && KnownClass(p.Class) && !p.Category.custom() && p.Class != p.Category.Class(),
		"class: %q is of class %s", p.Category, p.Category.Class())
	errs = append(errs, c.compileTexts()...)
	if err := errors.Join(errs...); err != nil {
		return CompiledPattern{}, fmt.Errorf("pattern %q: %w", p.ID, err)
	}
	return c, nil
}

func (c *CompiledPattern) compileTexts() (errs []error) {
	var err error
	if c.text, err = regexp.Compile(c.Regex); err != nil {
		errs = append(errs, fmt.Errorf("regex: %w", err))
	}
	if c.RetryAfter == nil {
		return errs
	}
	if c.wait, err = regexp.Compile(c.RetryAfter.Regex); err != nil {
		return append(errs, fmt.Errorf("retry_after.regex: %w", err))
	}
	if c.wait.NumSubexp() < 1 {
		errs = append(errs, errors.New("retry_after.regex: needs a group around the number"))
	}
	if _, ok := waitUnits[c.RetryAfter.Unit]; !ok {
		errs = append(errs, fmt.Errorf("retry_after.unit: %q is not s, ms, m or h", c.RetryAfter.Unit))
	}
	return errs
}

// CompilePatterns compiles patterns in their order; the error joins the faults
// of all.
func CompilePatterns(patterns []Pattern) ([]CompiledPattern, error) {
	compiled := make([]CompiledPattern, len(patterns))
	var errs []error
	for i, p := range patterns {
		var err error
		if compiled[i], err = p.Compile(); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return compiled, nil
}

// match gives the text that the pattern matched in s, of the texts that it may
// read.
func (c CompiledPattern) match(s Signs) (string, bool) {
	if c.Stage != "" && c.Stage != s.stage() {
		return "", false
	}
	if c.Pointer != "" {
		value, ok := pointer(s.raw(), c.Pointer)
		return value, ok && value == c.Equals
	}
	for _, text := range c.texts(s) {
		if text != "" && c.text.MatchString(text) {
			return text, true
		}
	}
	return "", false
}

func (c CompiledPattern) texts(s Signs) []string {
	switch c.Source {
	case SourceError:
		return []string{s.errorText()}
	case SourceStderr:
		return []string{lastLines(s.Stderr)}
	case SourceEvent:
		return []string{string(s.raw())}
	}
	return []string{s.errorText(), lastLines(s.Stderr)}
}

// retryAfter reads the wait that the pattern finds in the text it matched.
func (c CompiledPattern) retryAfter(text string) *time.Duration {
	if c.wait == nil {
		return nil
	}
	g := c.wait.FindStringSubmatch(text)
	if g == nil {
		return nil
	}
	d, ok := times(g[1], waitUnits[c.RetryAfter.Unit])
	if !ok {
		return nil
	}
	return believeAfter(d).After
}

// pointer follows a JSON pointer (RFC 6901) and gives what stands there as
// text: strings without quotes, all else as JSON.
func pointer(raw []byte, path string) (string, bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	for _, part := range strings.Split(path[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch node := v.(type) {
		case map[string]any:
			next, ok := node[part]
			if !ok {
				return "", false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) {
				return "", false
			}
			v = node[i]
		default:
			return "", false
		}
	}
	if s, ok := v.(string); ok {
		return s, true
	}
	b, err := json.Marshal(v)
	return string(b), err == nil
}
