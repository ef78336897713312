package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A Masker is a mask of the user's own, from loop.yaml. What its regular
// expression matches becomes its name.
type Masker struct {
	Name  string
	regex *regexp.Regexp
}

// CompileMask makes a Masker. A regular expression that matches the empty text
// is refused, since it would put a mask between any two letters.
func CompileMask(name, regex string) (Masker, error) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Masker{}, fmt.Errorf("mask %q: name is empty or not printable", name)
	}
	re, err := regexp.Compile(regex)
	if err != nil {
		return Masker{}, fmt.Errorf("mask %q: %w", name, err)
	}
	if re.MatchString("") {
		return Masker{}, fmt.Errorf("mask %q: regex %q matches the empty text", name, regex)
	}
	return Masker{Name: name, regex: re}, nil
}

// Sum identifies a set of user masks: it belongs to the version of every
// signature that was made with them. No masks give "".
func Sum(user []Masker) string {
	if len(user) == 0 {
		return ""
	}
	h := sha256.New()
	for _, m := range user {
		fmt.Fprintf(h, "%q %q\n", m.Name, m.regex.String())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Mask replaces what differs between two runs of the same failure by what it
// is: paths of temporary files, times, addresses, ports, long numbers. It goes
// by form alone and knows no program. User masks come first. Short numbers and
// words stay, since they are more often the point of a failure than noise.
func Mask(text string, user ...Masker) string {
	for _, m := range user {
		text = m.regex.ReplaceAllLiteralString(text, "<"+m.Name+">")
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		f, end := formAt(text, i)
		if f == nil {
			i = nextStart(text, i)
			continue
		}
		b.WriteString(text[done:i])
		b.WriteString(f.replacement(text[i:end]))
		i, done = end, end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// Numberless masks every number that Mask left, for the family of a failure.
func Numberless(text string) string {
	var b strings.Builder
	digits := false
	for _, r := range text {
		if r >= '0' && r <= '9' {
			if !digits {
				b.WriteString("<n>")
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(r)
	}
	return b.String()
}

// formAt finds the first form, in their order, that begins at i.
func formAt(text string, i int) (*form, int) {
	kind := charKinds[text[i]]
	if kind == 0 {
		return nil, 0
	}
	for k := range forms {
		if forms[k].starts&kind == 0 {
			continue
		}
		if end := forms[k].end(text, i); end > i {
			return &forms[k], end
		}
	}
	return nil, 0
}

// nextStart skips the rest of a word or number: no form begins inside one but
// those that begin with a sign.
func nextStart(text string, i int) int {
	if !isWord(text[i]) {
		return i + 1
	}
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}
