// Package diacritics checks that people need not type accents to find a book.
package diacritics

import (
	"slices"
	"testing"

	"bookshop/search"
)

var shelf = []search.Book{
	{Title: "Cien años de soledad", Author: "Gabriel García Márquez"},
	{Title: "Wuthering Heights", Author: "Emily Brontë"},
	{Title: "Marianela", Author: "Benito Pe\u0301rez Galdo\u0301s"}, // each accent a character of its own
	{Title: "Dom Casmurro", Author: "Machado de Assis"},
}

func TestDiacritics(t *testing.T) {
	for name, test := range map[string]struct {
		query string
		want  string
	}{
		"a name with accents is found without them":     {"garcia marquez", "Cien años de soledad"},
		"a title with a tilde is found without it":      {"cien anos", "Cien años de soledad"},
		"capitals find a small letter with a diaeresis": {"BRONTE", "Wuthering Heights"},
		"an accent that stands by itself is not needed": {"perez galdos", "Marianela"},
		"an accent too many does no harm":               {"Dom Cásmurro", "Dom Casmurro"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := find(test.query); !slices.Equal(got, []string{test.want}) {
				t.Errorf("Find(shelf, %q) = %q; want [%q]", test.query, got, test.want)
			}
		})
	}
}

func TestOtherLettersStillDiffer(t *testing.T) {
	if got := find("garcio"); got != nil {
		t.Errorf("Find(shelf, %q) = %q; want nothing", "garcio", got)
	}
}

func find(query string) []string {
	var titles []string
	for _, b := range search.Find(shelf, query) {
		titles = append(titles, b.Title)
	}
	return titles
}
