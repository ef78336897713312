package cli

import "testing"

func TestSlug(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"a title":                      {"Search ignores diacritics", "search-ignores-diacritics"},
		"the goal where there is none": {" garcia marquez must find García Márquez", "garcia-marquez-must-find-garc-a-m-rquez"},
		"as many words as fit":         {"one two three four five six seven eight nine ten", "one-two-three-four-five-six-seven-eight"},
		"no number at the end":         {"Support HTTP 2", "support-http"},
		"what is no id":                {"!!!", ""},
		"a device":                     {"con", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := slug(test.text); got != test.want {
				t.Errorf("slug(%q) = %q; want %q", test.text, got, test.want)
			}
		})
	}
}

func TestAnIDThatIsTakenGetsANumber(t *testing.T) {
	taken := map[string]bool{"mend-it": true, "mend-it.2": true}
	got, err := freeID("Mend it", func(id string) (bool, error) { return taken[id], nil })
	if want := "mend-it.3"; got != want || err != nil {
		t.Errorf("freeID = %q, %v; want %q", got, err, want)
	}
}
