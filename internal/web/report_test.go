package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
	"looprun.dev/looprun/internal/web"
)

func TestAReportCountsWhatHappenedInItsTime(t *testing.T) {
	p := full(t)
	p.run(t, "better", "less each time", fewer, fewer, passes)
	day := web.Period{Since: noon.Add(-time.Hour), Until: noon.Add(time.Hour)}
	tests := map[string]struct {
		period web.Period
		ends   [3]int // done, needs input, blocked
		tries  int
		cost   unit.Money
		tasks  int
	}{
		"all of it":                      {day, [3]int{3, 1, 0}, 10, 10 * 250_000, 4},
		"nothing before it":              {web.Period{Since: noon.Add(-2 * time.Hour), Until: noon}, [3]int{}, 0, 0, 0},
		"nothing after it":               {web.Period{Since: noon.Add(30 * time.Minute), Until: noon.Add(time.Hour)}, [3]int{}, 0, 0, 0},
		"the beginning, without any end": {web.Period{Since: noon.Add(-time.Hour), Until: noon.Add(3 * time.Second)}, [3]int{}, 5, 5 * 250_000, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rep, err := web.NewReport(p, p.options(), tc.period)
			must(t, err)
			got := [3]int{rep.Ended(task.Completed), rep.Ended(task.NeedsInput), rep.Ended(task.Blocked)}
			if got != tc.ends || rep.Spent.Tries != tc.tries || rep.Spent.Cost != tc.cost || len(rep.Tasks) != tc.tasks {
				t.Errorf("%v ended, %d tries, %s, %d listed; want %v, %d, %s, %d", got, rep.Spent.Tries, rep.Spent.Cost, len(rep.Tasks), tc.ends, tc.tries, tc.cost, tc.tasks)
			}
			var ended, tries int
			for _, b := range rep.Buckets {
				ended, tries = ended+b.Ended(), tries+b.Tries
			}
			if want := tc.ends[0] + tc.ends[1] + tc.ends[2]; ended != want || tries != tc.tries {
				t.Errorf("the columns show %d ends and %d tries; want %d and %d", ended, tries, want, tc.tries)
			}
		})
	}
}

func TestAReportTellsWhichStrategyWorked(t *testing.T) {
	p := newPlace(t)
	p.run(t, "good", "a", fails, passes)
	p.run(t, "stuck", "b", fails, fails)
	rep, err := web.NewReport(p, p.options(), web.Period{Since: noon.Add(-time.Hour), Until: noon.Add(time.Hour)})
	must(t, err)
	if len(rep.Strategies()) != 1 || len(rep.Failures()) != 1 || len(rep.Stops()) != 2 {
		t.Fatalf("it has %v, %v, %v", rep.Strategies(), rep.Failures(), rep.Stops())
	}
	s := rep.Strategies()[0]
	if s.Strategy != "replan" || s.Attempts != 2 || s.Passed != 1 || s.Same != 1 {
		t.Errorf("replan came to %+v; want two uses, one passed, one with the same failure", s)
	}
	if f := rep.Failures()[0]; f.Category != "verification_failed" || f.Times != 3 {
		t.Errorf("the failures are %+v; want 3 of verification", f)
	}
	if got, want := rep.UsedFor(task.Completed), unit.Money(500_000); got != want {
		t.Errorf("%s went into what is done; want %s", got, want)
	}
}

func TestAReportStandsAlone(t *testing.T) {
	p := full(t)
	rep, err := web.NewReport(p, p.options(), web.Period{Since: noon.Add(-time.Hour), Until: noon.Add(time.Hour)})
	must(t, err)
	var b bytes.Buffer
	must(t, web.WriteReport(&b, rep))
	page := b.String()
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if style == nil {
		t.Fatal("its style is not in it")
	}
	sum := sha256.Sum256([]byte(style[1]))
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page, strings.ReplaceAll(strings.ReplaceAll(want, "'", "&#39;"), "+", "&#43;")) {
		t.Errorf("its policy is not %q", want)
	}
	rest := strings.Replace(page, style[0], "", 1)
	if found := regexp.MustCompile(`(?i)<(script|link|img|iframe|object)|<[a-z]+ [^>]*\b(src|href|style|on[a-z]+)=|https?://|\x{202e}`).FindString(rest); found != "" {
		t.Errorf("it has %q", found)
	}
	if found := regexp.MustCompile(`(?i)@import|url\(|</`).FindString(style[1]); found != "" {
		t.Errorf("its style has %q", found)
	}
	if n := strings.Count(page, `role="img"`); n != 3 || strings.Count(page, "<desc ") != n {
		t.Errorf("%d charts, %d of them with a text; want 3", n, strings.Count(page, "<desc "))
	}
}

func TestBucketsCoverThePeriod(t *testing.T) {
	tests := map[string]struct {
		length time.Duration
		n      int
	}{
		"a day by hours":          {24 * time.Hour, 24},
		"a week by days":          {7 * 24 * time.Hour, 8},
		"a quarter by weeks":      {91 * 24 * time.Hour, 14},
		"a minute is one of them": {time.Minute, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := web.Period{Since: noon, Until: noon.Add(tc.length)}
			all := web.Buckets(p)
			if len(all) != tc.n || all[0].After(p.Since) || !all[len(all)-1].Before(p.Until) {
				t.Errorf("%s is cut into %d: %v; want %d", tc.length, len(all), all, tc.n)
			}
		})
	}
}

func TestParseLength(t *testing.T) {
	tests := map[string]struct {
		text string
		want time.Duration // 0: refused
	}{
		"hours":            {"24h", 24 * time.Hour},
		"days":             {"7d", 7 * 24 * time.Hour},
		"no days":          {"0d", 0},
		"days before":      {"-7d", 0},
		"too many days":    {"99999999999d", 0},
		"no unit":          {"7", 0},
		"nothing":          {"", 0},
		"a negative hour":  {"-1h", 0},
		"a day and a half": {"1.5d", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := web.ParseLength(tc.text)
			if (err == nil) != (tc.want > 0) || got != tc.want {
				t.Errorf("ParseLength(%q) = %s, %v; want %s", tc.text, got, err, tc.want)
			}
		})
	}
}
