package search

import (
	"slices"
	"testing"
)

var shelf = []Book{
	{Title: "The Left Hand of Darkness", Author: "Ursula K. Le Guin", ISBN: "978-0-441-47812-5"},
	{Title: "At Swim-Two-Birds", Author: "Flann O’Brien", ISBN: "156478181X"},
	{Title: "Ｉ Ａｍ ａ Ｃａｔ", Author: "Natsume Sōseki", ISBN: "080483265X"},
	{Title: "A Wizard of Earthsea", Author: "Ursula K. Le Guin"},
}

const (
	darkness = "The Left Hand of Darkness"
	birds    = "At Swim-Two-Birds"
	cat      = "Ｉ Ａｍ ａ Ｃａｔ"
	wizard   = "A Wizard of Earthsea"
)

func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		query string
		want  []string
	}{
		"a word of the title":                     {"darkness", []string{darkness}},
		"a word of the author finds every book":   {"guin", []string{darkness, wizard}},
		"words of title and author in any order":  {"Guin wizard", []string{wizard}},
		"one word that is missing rules out all":  {"guin cooking", nil},
		"another case":                            {"EARTHSEA", []string{wizard}},
		"full-width letters in the query":         {"ｅａｒｔｈｓｅａ", []string{wizard}},
		"full-width letters on the shelf":         {"i am a cat", []string{cat}},
		"a full-width space between words":        {"left\u3000hand", []string{darkness}},
		"a hyphen typed as a space":               {"swim two birds", []string{birds}},
		"an apostrophe left out":                  {"obrien", []string{birds}},
		"an apostrophe of another form":           {"o'brien", []string{birds}},
		"punctuation around words is left out":    {"(Hand), of!", []string{darkness}},
		"an empty query finds nothing":            {"", nil},
		"a query of punctuation finds nothing":    {" -?! ", nil},
		"an ISBN with hyphens":                    {"978-0-441-47812-5", []string{darkness}},
		"an ISBN with spaces":                     {"978 0 441 47812 5", []string{darkness}},
		"a full-width ISBN":                       {"９７８０４４１４７８１２５", []string{darkness}},
		"the old length finds the new one":        {"0-441-47812-3", []string{darkness}},
		"the new length finds the old one":        {"978-1-56478-181-9", []string{birds}},
		"an ISBN that ends in a small x":          {"080483265x", []string{cat}},
		"an ISBN that nothing on the shelf has":   {"978-0-306-40615-7", nil},
		"a number with a wrong check digit":       {"978-0-441-47812-6", nil},
		"an old number with a wrong check digit":  {"1564781818", nil},
		"letters where an ISBN would have digits": {"abcdefghijklm", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := titles(Find(shelf, test.query)); !slices.Equal(got, test.want) {
				t.Errorf("Find(shelf, %q) = %q; want %q", test.query, got, test.want)
			}
		})
	}
}

func titles(books []Book) []string {
	var list []string
	for _, b := range books {
		list = append(list, b.Title)
	}
	return list
}
