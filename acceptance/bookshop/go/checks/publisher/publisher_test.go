// Package publisher checks that a search can be limited to one publisher.
package publisher

import (
	"slices"
	"testing"

	"bookshop/search"
)

var shelf = []search.Book{
	{Title: "Beloved", Author: "Toni Morrison", Publisher: "Vintage"},
	{Title: "Jazz", Author: "Toni Morrison", Publisher: "Picador"},
	{Title: "Vintage Cars", Author: "Ann Other", Publisher: "Shire"},
	{Title: "Invisible Cities", Author: "Italo Calvino", Publisher: "Vintage"},
}

func TestPublisher(t *testing.T) {
	for name, test := range map[string]struct {
		query string
		want  []string
	}{
		"a publisher finds its books only":      {"publisher:vintage", []string{"Beloved", "Invisible Cities"}},
		"a publisher in another case":           {"Publisher: PICADOR", []string{"Jazz"}},
		"a publisher together with other words": {"morrison publisher:vintage", []string{"Beloved"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, b := range search.Find(shelf, test.query) {
				got = append(got, b.Title)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("Find(shelf, %q) = %q; want %q", test.query, got, test.want)
			}
		})
	}
}
