package recovery

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// A clue is one error as the rules see it.
type clue struct {
	cause  Cause           // what was given as values
	status int             // given as a value, else in words
	class  int             // status, or the one that a code without status implies
	code   string          // the first that was given, as written
	codes  map[string]bool // all, in lower case without separators
	text   string
	reset  Reset
}

// identifier is a word that only a program writes: rate_limit_error,
// RateLimitError. Such words in an error's text are codes.
var identifier = lazily(`\b_?[A-Za-z]+(?:_[A-Za-z]+)+\b|\b_?[A-Z]+[a-z]+(?:[A-Z]+[a-z]+)+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b`)

// clueOf reads an error. What cause gives as a value wins over its words.
func clueOf(cause Cause, m moment) clue {
	inner := ReadCause(cause.Text)
	c := clue{cause: cause, status: cause.Status, text: clip(inner.Text, maxCauseText), codes: map[string]bool{}}
	if c.status == 0 {
		c.status = inner.Status
	}
	if c.status == 0 {
		c.status = statusIn(cause.Text)
	}
	for _, code := range slices.Concat(cause.Codes, inner.Codes, identifier().FindAllString(inner.Text, 200)) {
		c.codes[plainName(code)] = true
	}
	c.class = c.classOf()
	if codes := slices.Concat(cause.Codes, inner.Codes); len(codes) > 0 {
		c.code = codes[0]
	}
	c.reset = resetOf(cause, inner, m)
	return c
}

// badRequests begin the codes that say of a request what the status 400 says,
// and generated are those that say it of what the model made of it.
var (
	badRequests = []string{"badrequesterror", "invalidargument", "invalidrequest"}
	generated   = []string{"jsonvalidatefailed", "toolusefailed"}
)

// classOf is the status that the rules go by: the one that was given, unless a
// code says that it is not the request that is meant, or the one of a code.
func (c clue) classOf() int {
	for _, code := range generated {
		if c.codes[code] && c.status < 500 {
			return 0
		}
	}
	if c.status != 0 {
		return c.status
	}
	if c.codes["notfounderror"] {
		return 404
	}
	for code := range c.codes {
		if slices.ContainsFunc(badRequests, func(bad string) bool { return strings.HasPrefix(code, bad) }) {
			return 400
		}
	}
	return 0
}

// resetOf takes the first reset that is believed: the event's own value, a value
// in a body that its text quotes, then words.
func resetOf(cause, inner Cause, m moment) Reset {
	var r Reset
	for _, c := range []Cause{cause, inner} {
		if c.RetryAfter != nil && r.After == nil {
			r.After = believeAfter(*c.RetryAfter).After
			r.Named = true
		}
		if !c.ResetAt.IsZero() && r.At.IsZero() {
			r.At = m.believeAt(c.ResetAt).At
			r.Named = true
		}
	}
	spoken := ParseReset(inner.Text, m.now, m.zone)
	if r.After == nil && r.At.IsZero() {
		r.After, r.At = spoken.After, spoken.At
	}
	r.Named = r.Named || spoken.Named
	return r
}

// empty reports that there is nothing to go by.
func (c clue) empty() bool { return c.text == "" && c.status == 0 && len(c.codes) == 0 }

// structured reports that a value, not a word, says what the error is.
func (c clue) structured() bool {
	if c.cause.Status != 0 {
		return true
	}
	for i := range rules {
		for _, code := range c.cause.Codes {
			if slices.Contains(rules[i].codes, plainName(code)) {
				return true
			}
		}
	}
	return false
}

// rules yields every built-in rule that the error fits, in order of precedence,
// and last what its status says by itself.
func (c clue) rules() iter.Seq2[string, Category] {
	return func(yield func(string, Category) bool) {
		for i := range rules {
			if r := &rules[i]; admits(c.class, r.category) && r.fits(c) && !yield(r.id, r.category) {
				return
			}
		}
		category, ok := byStatus(c.class)
		if !ok {
			return
		}
		if c.class == 404 && modelWord.in(c.text) {
			category = ModelNotFound
		}
		yield(statusRule, category)
	}
}

// modelWord tells what a 404 did not find.
var modelWord = lazily(`(?i)\b(?:models?|deployment|engine)\b`)

func (r *rule) fits(c clue) bool {
	if r.unless != nil && r.unless(c) {
		return false
	}
	for _, code := range r.codes {
		if c.codes[code] {
			return true
		}
	}
	return r.words.in(c.text) && !r.not.in(c.text)
}

// briefReset parts a throttle that calls itself a quota from a quota: nobody
// refills an account within minutes.
const briefReset = 5 * time.Minute

var (
	brokenLine = lazily(`\bstream ID \d+; [A-Z_0-9]+|\bE(?:CONN(?:RESET|REFUSED|ABORTED)|NOTFOUND|PIPE|HOSTUNREACH|NETUNREACH|AI_AGAIN|TIMEDOUT)\b`)

	perMinute = lazily(`(?i)per[-_\s]*min(?:ute)?|per[-_\s]*second`)
	perDay    = lazily(`(?i)per[-_\s]*day|\bdaily\b`)
	capacity  = lazily(`(?i)\bexhausted your capacity\b|\bquota exceeded for (?:metric|quota)`)
	windows   = lazily(`(?i)\b(?:daily|weekly|monthly|hourly|\d+[- ]hours?|five_hour|seven_day\w*|tomorrow)\b` +
		`|per[-_\s]*(?:day|week|month|hour)|\b(?:this|next|current|each|every) (?:day|week|month|hour|period|cycle)\b|\bbilling (?:cycle|period)\b` +
		`|\b(?:session|opus|sonnet) limit\b|\bresets?\b`)
)

// throttled reports an error that speaks of a quota but means requests a minute:
// Google calls both by one name.
func (c clue) throttled() bool {
	if perDay.in(c.text) {
		return false
	}
	if perMinute.in(c.text) {
		return true
	}
	brief := c.reset.After != nil && *c.reset.After <= briefReset
	return brief && (c.codes["resourceexhausted"] || capacity.in(c.text))
}

// disconnected reports an error that is called a server's but came of the
// connection: no server has answered, or a peer gave up one HTTP/2 stream.
func (c clue) disconnected() bool {
	return c.status == 0 && (c.codes["connectionfailed"] || brokenLine.in(c.text))
}

// windowed reports whether the error names a window or a reset of a quota.
func (c clue) windowed() bool {
	return c.reset.Named || windows.in(c.text)
}
