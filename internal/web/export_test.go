package web

import "time"

// What tests of the outside look at.
var (
	ParsePatch  = parsePatch
	ParseEvents = parseEvents
	OwnerOf     = ownerOf
	CountLines  = countLines
	EachLine    = eachLine
	Around      = around
	Span        = span
	Ago         = ago
	Count       = count
	Plural      = plural
	Argv        = argv
)

// DiffLine and ChangedFile are what a patch comes to.
type (
	DiffLine    = diffLine
	ChangedFile = changedFile
)

// Buckets are the parts that a period is cut into.
func Buckets(p Period) []time.Time {
	var all []time.Time
	for _, b := range buckets(p) {
		all = append(all, b.From)
	}
	return all
}
