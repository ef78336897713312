package cli

import (
	"testing"
	"time"
)

func TestMomentsToCome(t *testing.T) {
	zone := time.FixedZone("there", 2*3600)
	now := time.Date(2026, 3, 28, 23, 30, 0, 0, zone)
	tests := map[string]struct{ text, want string }{
		"a duration counts from now":                  {"90m", "2026-03-29T01:00:00+02:00"},
		"a time of day that is over is tomorrow's":    {"08:15", "2026-03-29T08:15:00+02:00"},
		"a time of day to come is today's":            {"23:45", "2026-03-28T23:45:00+02:00"},
		"a day with a time is local":                  {"2026-04-01 07:00", "2026-04-01T07:00:00+02:00"},
		"a day alone is its beginning":                {"2026-04-01", "2026-04-01T00:00:00+02:00"},
		"RFC 3339 has its own zone":                   {"2026-04-01T07:00:00Z", "2026-04-01T07:00:00Z"},
		"what is over is refused":                     {"2026-03-01", ""},
		"nothing is refused":                          {"", ""},
		"a duration of nothing is refused":            {"0s", ""},
		"words are refused":                           {"tomorrow", ""},
		"the moment itself has passed":                {"2026-03-28 23:30", ""},
		"a time of day that never is, is refused too": {"25:00", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := moment{now: func() time.Time { return now }}
			err := m.Set(test.text)
			if got := m.String(); got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("Set(%q) = %q, %v; want %q", test.text, got, err, test.want)
			}
		})
	}
}

func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"2h", "08:30", "2026-01-31 08:30", "2026-01-31T08:30:00Z", "-1s", "24:00"} {
		f.Add(seed)
	}
	now := time.Date(2026, 3, 28, 23, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		m := moment{now: func() time.Time { return now }}
		if err := m.Set(text); err == nil && !m.time.After(now) {
			t.Errorf("Set(%q) = %v, which is not after %v", text, m.time, now)
		}
	})
}
