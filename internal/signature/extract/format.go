package extract

import (
	"encoding/json"
	"slices"
	"strings"
)

// A format is a machine-readable form of test results.
type format struct {
	name  string
	signs []string // one of these stands in every document
	read  func(text string, f *found) bool
}

// formats are tried in this order.
var formats = []format{
	{"junit", []string{"<testsuite", "<testcase"}, readJUnit},
	{"go-json", []string{`"Action":"`}, readGoJSON},
	{"jest-json", []string{`"testResults"`}, document(readJestJSON)},
	{"rspec-json", []string{`"examples"`}, document(readRspecJSON)},
	{"eslint-json", []string{`"filePath"`}, document(readEslintJSON)},
	{"ctrf", []string{`"tests"`}, document(readCTRF)},
	{"sarif", []string{`"runs"`}, document(readSARIF)},
}

// formatTAP is the one format that is read line by line from anywhere in the
// output.
const formatTAP = "tap"

// Formats names the forms that a report may have, besides "auto".
func Formats() []string {
	names := []string{formatTAP}
	for _, f := range formats {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

func formatName(name string) string {
	if name == "" || name == "auto" {
		return "any known format"
	}
	return name
}

// readFormat reads a text as the format of that name, or as the first that
// fits. It reports whether one did.
func readFormat(text, name string, f *found) bool {
	for _, form := range formats {
		if name == "" || name == "auto" || name == form.name {
			g := &found{masks: f.masks}
			if hasAny(text, form.signs) && form.read(text, g) {
				f.add(g)
				return true
			}
		}
	}
	return name == formatTAP && readTAPText(text, f)
}

// readTAPText reads a report that is TAP from its first line on.
func readTAPText(text string, f *found) bool {
	p := pageOf(text)
	if !isTAP(p.streams[0]) {
		return false
	}
	readTAP(p, f)
	return true
}

// maxTries bounds the places where a document is looked for: each costs a look
// at the rest of the text.
const maxTries = 8

// document makes a reader of text out of one of a JSON document: the program
// may have printed lines before it and after it.
func document(read func([]byte, *found) bool) func(string, *found) bool {
	return func(text string, f *found) bool {
		tries := 0
		for at := 0; at >= 0 && tries < maxTries; at = nextLine(text, at) {
			if c := strings.TrimLeft(text[at:min(len(text), at+64)], " \t"); c == "" || c[0] != '{' && c[0] != '[' {
				continue
			}
			tries++
			var doc json.RawMessage
			if json.NewDecoder(strings.NewReader(text[at:])).Decode(&doc) == nil && read(doc, f) {
				return true
			}
		}
		return false
	}
}

// nextLine gives the start of the line after at, or -1.
func nextLine(text string, at int) int {
	n := strings.IndexByte(text[at:], '\n')
	if n < 0 || at+n+1 >= len(text) {
		return -1
	}
	return at + n + 1
}
