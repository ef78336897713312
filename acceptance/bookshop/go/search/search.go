// Package search finds books on a shelf by what people type: an ISBN, or words
// of a title or an author in any case, width and punctuation. It reads no file
// and keeps nothing between two calls.
package search

import (
	"strings"
	"unicode"
)

// A Book is one title on the shelf.
type Book struct {
	Title     string
	Author    string
	Publisher string
	ISBN      string // either length, with or without hyphens
}

// Find returns the books that match query, in the order of the shelf. A query
// that is an ISBN finds the books with that ISBN. Any other finds the books
// whose title and author hold all of its words, or parts of words, in any
// order. A query without a word finds nothing.
func Find(shelf []Book, query string) []Book {
	isbn, isISBN := parseISBN(query)
	words := strings.Fields(fold(query))
	var found []Book
	for _, b := range shelf {
		if isISBN && b.hasISBN(isbn) || !isISBN && b.holds(words) {
			found = append(found, b)
		}
	}
	return found
}

func (b Book) hasISBN(isbn string) bool {
	own, ok := parseISBN(b.ISBN)
	return ok && own == isbn
}

func (b Book) holds(words []string) bool {
	text := fold(b.Title + " " + b.Author)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return len(words) > 0
}

// fold brings text into the form in which it is compared: lower case, no
// full-width characters, one space between words and no other punctuation.
func fold(text string) string {
	return strings.Join(strings.Fields(strings.Map(foldRune, text)), " ")
}

// Full-width forms stand in the same order as the printable ASCII characters.
const (
	firstFullWidth = '\uff01' // of '!'
	lastFullWidth  = '\uff5e' // of '~'
)

// foldRune drops apostrophes, as many people leave them out: obrien and
// O'Brien are one name. Other punctuation ends a word.
func foldRune(r rune) rune {
	if firstFullWidth <= r && r <= lastFullWidth {
		r += '!' - firstFullWidth
	}
	if r == '\'' || r == '’' {
		return -1
	}
	if unicode.IsPunct(r) {
		return ' '
	}
	return unicode.ToLower(r)
}
