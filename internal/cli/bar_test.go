package cli

import "testing"

func TestBar(t *testing.T) {
	tests := map[string]struct {
		used, limit int64
		want        string
	}{
		"nothing":           {0, 8, "[..........]"},
		"something":         {1, 1000, "[#.........]"},
		"half":              {4, 8, "[#####.....]"},
		"nearly all":        {999, 1000, "[#########.]"},
		"all":               {8, 8, "[##########]"},
		"more than all":     {9, 8, "[##########]"},
		"there is no limit": {9, 0, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := bar(test.used, test.limit); got != test.want {
				t.Errorf("bar(%d, %d) = %q; want %q", test.used, test.limit, got, test.want)
			}
		})
	}
}
