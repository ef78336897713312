package recovery

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func zones(t testing.TB) Zone {
	t.Helper()
	return func(name string) *time.Location {
		loc, err := time.LoadLocation(name)
		if err != nil {
			return nil
		}
		return loc
	}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// In all of these it is Monday, 30 November 2026, 09:43 in Tokyo, which is
// 00:43 UTC and 16:43 on Sunday in Los Angeles.
const readAt = "2026-11-30T09:43:00+09:00"

func TestResetAsASpan(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want time.Duration
	}{
		"seconds":                          {"Rate limit reached for requests. Please try again in 3s.", 3 * time.Second},
		"seconds with a fraction":          {"Please try again in 6.034s. Visit the docs.", 6034 * time.Millisecond},
		"milliseconds":                     {"Please try again in 340ms.", 340 * time.Millisecond},
		"Go's form":                        {"Please try again in 1h0m0s.", time.Hour},
		"minutes and seconds":              {"Please try again in 7m12s.", 7*time.Minute + 12*time.Second},
		"words":                            {"or try again in 2 days 17 hours 14 minutes.", 65*time.Hour + 14*time.Minute},
		"words with commas and an and":     {"try again in 1 day, 3 hours and 20 minutes", 27*time.Hour + 20*time.Minute},
		"hours":                            {"Please try again in 2 hours.", 2 * time.Hour},
		"an hour":                          {"Try again in an hour.", time.Hour},
		"a header":                         {"HTTP/1.1 429\nRetry-After: 120\n", 2 * time.Minute},
		"a header of zero":                 {"Retry-After: 0", 0},
		"a header in milliseconds":         {"retry-after-ms: 1500", 1500 * time.Millisecond},
		"a member of a Python dict":        {"{'resets_in_seconds': 13872}", 13872 * time.Second},
		"retry in":                         {"Please retry in 34.074824224s.", 34074824224},
		"retry after, in words":            {"Please retry after 1 minute(s)", time.Minute},
		"retry after, bare":                {"rate limited, retry after 30", 30 * time.Second},
		"wait":                             {"Please wait 5 minutes before you try again", 5 * time.Minute},
		"a quota's reset":                  {"Your quota will reset after 18h31m10s.", 18*time.Hour + 31*time.Minute + 10*time.Second},
		"resets in":                        {"Individual quota reached. Resets in 2h30m.", 150 * time.Minute},
		"eight days are still believed":    {"resets in 8 days", 8 * 24 * time.Hour},
		"what is left, as a clock":         {"Quota will be replenished in 01:12:22.", 72*time.Minute + 22*time.Second},
		"what is left, with days":          {"Your limit resets in 1.02:00:00", 26 * time.Hour},
		"roughly":                          {"Try again in ~178 min.", 178 * time.Minute},
		"the second, if the first is none": {"try again later; resets in 5m", 5 * time.Minute},
	} {
		got := ParseReset(test.text, time.Time{}, nil)
		if got.After == nil || *got.After != test.want || !got.Named {
			t.Errorf("%s: ParseReset(%q) = %v; want %s", name, test.text, got.After, test.want)
		}
	}
}

func TestResetAsAnInstant(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"RFC 3339":                         {"rate limited until 2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"RFC 3339 with an offset":          {"resets at 2026-12-01T10:00:00+02:00", "2026-12-01T08:00:00Z"},
		"a date and a time without a zone": {"Your limit will reset at 2026-12-01 10:00:00", "2026-12-01T10:00:00Z"},
		"an HTTP date":                     {"Retry-After: Tue, 01 Dec 2026 07:28:00 GMT", "2026-12-01T07:28:00Z"},
		"the older HTTP date":              {"Retry-After: Tuesday, 01-Dec-26 07:28:00 GMT", "2026-12-01T07:28:00Z"},
		"seconds since 1970":               {"usage limit reached|1796086800", "2026-12-01T01:00:00Z"},
		"milliseconds since 1970":          {"X-RateLimit-Reset: 1796086800000", "2026-12-01T01:00:00Z"},
		"a member":                         {`"resets_at": 1796086800`, "2026-12-01T01:00:00Z"},
		"a clock with a zone":              {"resets 8pm (Asia/Tokyo)", "2026-11-30T11:00:00Z"},
		"a clock that is past today":       {"resets 9am (Asia/Tokyo)", "2026-12-01T00:00:00Z"},
		"a clock of this very minute":      {"resets 9:43am (Asia/Tokyo)", "2026-12-01T00:43:00Z"},
		"a clock where it is another day":  {"resets 11pm (America/Los_Angeles)", "2026-11-30T07:00:00Z"},
		"a clock without a zone is now's":  {"resets 10am", "2026-11-30T01:00:00Z"},
		"a clock in 24 hours":              {"available again at 18:00 (UTC)", "2026-11-30T18:00:00Z"},
		"half past":                        {"You've hit your session limit · resets 3:30am (America/New_York)", "2026-11-30T08:30:00Z"},
		"try again at":                     {"try again at 12:16 PM.", "2026-11-30T03:16:00Z"},
		"midnight":                         {"quota resets at midnight PT", "2026-11-30T08:00:00Z"},
		"noon with an offset":              {"resets at 12:00 UTC+2", "2026-11-30T10:00:00Z"},
		"a weekday":                        {"You've hit your weekly limit · resets Wed 12:00am", "2026-12-01T15:00:00Z"},
		"today's weekday is a week ahead":  {"resets Mon 8am (Asia/Tokyo)", "2026-12-06T23:00:00Z"},
		"tomorrow":                         {"quota exceeded · resets tomorrow at 9am", "2026-12-01T00:00:00Z"},
		"a month and a day":                {"resets Dec 3 at 6am (Europe/Oslo)", "2026-12-03T05:00:00Z"},
		"a day and a month":                {"resets 3 December, 1am (Europe/Oslo)", "2026-12-03T00:00:00Z"},
		"a whole date":                     {"try again at Dec 2nd, 2026 10:03 PM.", "2026-12-02T13:03:00Z"},
		"a date alone is its first minute": {"resets on Dec 2", "2026-12-01T15:00:00Z"},
		"regain access":                    {"You will regain access on 2026-12-01 at 00:00 UTC.", "2026-12-01T00:00:00Z"},
	} {
		got := ParseReset(test.text, at(t, readAt).In(zones(t)("Asia/Tokyo")), zones(t))
		if !got.At.Equal(at(t, test.want)) {
			t.Errorf("%s: ParseReset(%q) = %s; want %s", name, test.text, got.At.UTC().Format(time.RFC3339), test.want)
		}
	}
}

func TestClockTimesOverAChangeOfSummerTime(t *testing.T) {
	now := at(t, "2027-03-27T22:00:00+01:00")
	got := ParseReset("resets 8am (Europe/Lisbon)", now, zones(t))
	if want := at(t, "2027-03-28T07:00:00Z"); !got.At.Equal(want) {
		t.Errorf("the morning after the clocks go forward is %s; want %s", got.At, want)
	}
}

func TestResetsThatAreNotBelieved(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		named bool
	}{
		"no time at all":              {"Please try again later.", false},
		"a time of something else":    {"retried 5 times (total retry wait time: 92.78 seconds)", false},
		"a connection's reset":        {"read: connection reset by peer", false},
		"a number without a unit":     {"try again in 5", false},
		"a letter after the number":   {"try again in 3 months", false},
		"negative":                    {"Retry-After: -5", true},
		"ten years":                   {"Retry-After: 315360000", true},
		"nine days":                   {"try again in 9 days", true},
		"a number without an end":     {"Retry-After: 99999999999999999999999999999999", true},
		"a date that is past":         {"Retry-After: Sun, 29 Nov 2026 07:28:00 GMT", true},
		"a month ahead":               {"resets on Dec 31, 2026", true},
		"the next billing cycle":      {"resets when your monthly cycle ends", true},
		"a zone that nobody knows":    {"resets 8pm (Mars/Olympus)", true},
		"an hour that does not exist": {"resets 25:00", true},
	} {
		got := ParseReset(test.text, at(t, readAt), zones(t))
		if got.After != nil || !got.At.IsZero() || got.Named != test.named {
			t.Errorf("%s: ParseReset(%q) = %+v; want nothing, named %t", name, test.text, got, test.named)
		}
	}
}

func TestWithoutANowClockTimesAreNamedAlone(t *testing.T) {
	got := ParseReset("You've hit your limit · resets 1pm (Europe/Lisbon)", time.Time{}, nil)
	if got.After != nil || !got.At.IsZero() || !got.Named {
		t.Errorf("ParseReset = %+v; want named and nothing else", got)
	}
}

func FuzzParseReset(f *testing.F) {
	for _, seed := range []string{
		"resets 8pm (Asia/Tokyo)", "try again in 2 days 17 hours", "Retry-After: Tue, 01 Dec 2026 07:28:00 GMT",
		"limit reached|1796086800", "resets Dec 3 at 6am (Europe/Oslo)", "retry-after-ms: -1", "resets 99:99 UTC+99",
	} {
		f.Add(seed)
	}
	now, zone := at(f, readAt), zones(f)
	f.Fuzz(func(t *testing.T, text string) {
		r := ParseReset(text, now, zone)
		if r.After != nil && (*r.After < 0 || *r.After > maxReset) {
			t.Errorf("span %s is out of bounds", *r.After)
		}
		if !r.At.IsZero() && (r.At.Before(now) || r.At.Sub(now) > maxReset) {
			t.Errorf("instant %s is out of bounds", r.At)
		}
		if (r.After != nil || !r.At.IsZero()) && !r.Named {
			t.Error("a reset was read that is not named")
		}
	})
}
