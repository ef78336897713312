package recovery

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Cause is what an error says of itself.
type Cause struct {
	Status     int            // HTTP, 0 when none was given
	Codes      []string       // codes, types and names, as written
	Text       string         // the words, without the JSON around them
	RetryAfter *time.Duration // a wait given as a value, not in words
	ResetAt    time.Time      // an instant given as a value, not in words
}

// Bounds on what is read of one error: bodies nest, and come from outside.
const (
	maxCauseText  = 8 << 10
	maxCauseDepth = 8
	maxCauseNodes = 500
	maxBodies     = 16
)

// The members of an error object that are read, by their names in lower case
// without separators. All other members are looked into, but say nothing.
var (
	textMembers = []string{
		"message", "errormessage", "finalerror", "msg", "error", "detail", "details", "description", "title",
		"reason", "body", "responsebody", "raw", "cause", "errors", "quotaid", "quotalimit", "quotametric", "ratelimittype",
	}
	codeMembers   = []string{"code", "type", "status", "name", "reason", "error", "errortype", "errorcode", "errorclass", "errorname", "blockreason", "kind", "category"}
	statusMembers = []string{"status", "statuscode", "httpstatus", "httpstatuscode", "apierrorstatus", "code", "error", "errorstatus"}
	afterMembers  = []string{"retryafter", "retryafters", "retryafterseconds", "retrydelay", "resetsinseconds", "resetinseconds", "resetafterseconds", "resetafter", "ratelimitresetafter", "xratelimitresetafter", "retryinseconds"}
	milliMembers  = []string{"retryafterms", "retrydelayms", "retryaftermilliseconds"}
	untilMembers  = []string{"resetsat", "resetat", "resettime", "quotaresetat", "xratelimitreset", "quotaresettimestamp"}
)

// ReadCause reads an error text, and the JSON bodies that it quotes.
func ReadCause(text string) Cause {
	var c Cause
	c.absorbText(clip(text, 4*maxCauseText), 0, new(int))
	return c
}

// Absorb adds what an error object, as encoding/json decodes it into an any,
// says. What is known already is kept.
func (c *Cause) Absorb(v any) { c.absorb(v, 0, new(int)) }

func (c *Cause) absorb(v any, depth int, nodes *int) {
	if *nodes++; depth > maxCauseDepth || *nodes > maxCauseNodes {
		return
	}
	switch v := v.(type) {
	case string:
		c.absorbText(v, depth, nodes)
	case []any:
		for _, e := range v {
			c.absorb(e, depth+1, nodes)
		}
	case map[string]any:
		c.absorbObject(v, depth, nodes)
	}
}

func (c *Cause) absorbObject(o map[string]any, depth int, nodes *int) {
	members := sortedMembers(o)
	for _, m := range members {
		c.absorbValue(m)
	}
	for _, name := range textMembers {
		for _, m := range members {
			if m.name == name {
				c.absorb(m.value, depth+1, nodes)
			}
		}
	}
	for _, m := range members {
		if _, text := m.value.(string); !text && !slices.Contains(textMembers, m.name) {
			c.absorb(m.value, depth+1, nodes)
		}
	}
}

// absorbValue takes a status, a code or a time. A code that has blanks in it is
// a sentence, and read as one elsewhere.
func (c *Cause) absorbValue(m member) {
	number, isNumber := m.number()
	text, isText := m.value.(string)
	switch {
	case isNumber && slices.Contains(statusMembers, m.name) && httpFault(int(number)):
		c.setStatus(int(number))
	case slices.Contains(milliMembers, m.name) && isNumber:
		c.setAfter(believeAfter(time.Duration(min(max(number, -1), 1e12)) * time.Millisecond))
	case slices.Contains(afterMembers, m.name):
		c.setAfter(ParseRetryAfter(m.text(), time.Time{}))
	case slices.Contains(untilMembers, m.name):
		c.setAfter(ParseRetryAfter(m.text(), time.Time{}))
	case isText && slices.Contains(codeMembers, m.name) && text != "" && len(text) <= 80 && !strings.ContainsAny(text, " \t\n{"):
		if !slices.Contains(c.Codes, text) && len(c.Codes) < 20 {
			c.Codes = append(c.Codes, text)
		}
	}
}

func (c *Cause) setStatus(status int) {
	if c.Status == 0 {
		c.Status = status
	}
}

func (c *Cause) setAfter(r Reset) {
	if r.After != nil && c.RetryAfter == nil {
		c.RetryAfter = r.After
	}
	if !r.At.IsZero() && c.ResetAt.IsZero() {
		c.ResetAt = r.At
	}
}

// absorbText takes the JSON objects out of a text and reads them; the rest is
// words.
func (c *Cause) absorbText(text string, depth int, nodes *int) {
	rest, words := text, text
	for range maxBodies {
		at := strings.IndexByte(rest, '{')
		if at < 0 || depth >= maxCauseDepth {
			break
		}
		object, length := leadingObject(rest[at:])
		if object == nil {
			rest = rest[at+1:]
			continue
		}
		c.addText(words[:len(words)-len(rest)+at])
		c.absorb(object, depth+1, nodes)
		rest = rest[at+length:]
		words = rest
	}
	c.addText(words)
}

// leadingObject decodes the JSON object that text begins with.
func leadingObject(text string) (map[string]any, int) {
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	if d.Decode(&object) != nil {
		return nil, 0
	}
	return object, int(d.InputOffset())
}

func (c *Cause) addText(words string) {
	words = strings.TrimSpace(words)
	if strings.Trim(words, "[](){},;:\"'` \n\r\t") == "" || strings.Contains(c.Text, words) {
		return
	}
	if c.Text != "" {
		words = "\n" + words
	}
	c.Text += clip(words, max(maxCauseText-len(c.Text), 0))
}

// A member is one member of an error object, its name in lower case without
// separators.
type member struct {
	name  string
	value any
}

func sortedMembers(o map[string]any) []member {
	list := make([]member, 0, len(o))
	for name, value := range o {
		list = append(list, member{plainName(name), value})
	}
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return list
}

func (m member) number() (float64, bool) {
	switch v := m.value.(type) {
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}

func (m member) text() string {
	if f, ok := m.value.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s, _ := m.value.(string)
	return s
}

// plainName makes rate_limit_error, RateLimitError and rate-limit-error one.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

func httpFault(n int) bool { return n >= 400 && n < 600 }

// statusWords are the ways in which error texts give an HTTP status. A number
// alone is none: ports, sizes and line numbers look the same.
var statusWords = []expression{
	lazily(`(?i)^\W*(?:[\w.]*(?:error|exception)\b[:\s]*)*([45]\d\d)(?:\s+[45]\d\d)?(?:[\s:,.{\]]|$)`),
	lazily(`(?im)^\W*(?:\w+\.)+\w+:\s*([45]\d\d)\s`),
	lazily(`(?i)\b(?:api )?error:\s*([45]\d\d)\b`),
	lazily(`(?i)\b(?:status|status[-_ ]?code|http(?:/\d(?:\.\d)?)?(?: error| status)?|error code|code)\\?["']?\s*[:=(]?\s*\\?["']?([45]\d\d)\b`),
	lazily(`(?i)\b(?:rejected|failed|error|denied|returned|responded)\b[^.\n]{0,30}\(([45]\d\d)\)`),
	lazily(`(?i)\b([45]\d\d):?\s+(?:bad request|unauthorized|payment required|forbidden|not found|request time-?out|payload too large|request entity too large|unprocessable|too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|overloaded|site is overloaded|\{)`),
}

// statusIn finds the HTTP status that an error text names.
func statusIn(text string) int {
	for _, re := range statusWords {
		if g := re().FindStringSubmatch(text); g != nil {
			return atoi(g[1])
		}
	}
	return 0
}
