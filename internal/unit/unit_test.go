package unit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/unit"
	"pgregory.net/rapid"
)

func TestParseMoney(t *testing.T) {
	tests := map[string]struct {
		text string
		want unit.Money
		ok   bool
	}{
		"two digits after the point":    {"5.00", 5_000_000, true},
		"a whole number":                {"5", 5_000_000, true},
		"millionths":                    {"0.000001", 1, true},
		"zero":                          {"0.00", 0, true},
		"seven digits are not rounded":  {"0.0000001", 0, false},
		"a point without digits":        {"5.", 0, false},
		"digits only after the point":   {".5", 0, false},
		"a sign":                        {"-1.00", 0, false},
		"an exponent":                   {"1e3", 0, false},
		"a currency":                    {"$5", 0, false},
		"a thousands separator":         {"1,000.00", 0, false},
		"an underscore":                 {"1_000", 0, false},
		"digits of another script":      {"٥", 0, false},
		"empty text":                    {"", 0, false},
		"more than the type can hold":   {"9999999999999999", 0, false},
		"a space":                       {" 5", 0, false},
		"two points":                    {"1.2.3", 0, false},
		"infinity":                      {"Inf", 0, false},
		"the largest amount that fits":  {"9223372036854.775807", 9223372036854775807, true},
		"one millionth more than fits":  {"9223372036854.775808", 0, false},
		"leading zeros change nothing":  {"007.50", 7_500_000, true},
		"a comma in place of the point": {"5,00", 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := unit.ParseMoney(tt.text)
			if got != tt.want || (err == nil) != tt.ok {
				t.Errorf("ParseMoney(%q) = %d, %v; want %d, ok %v", tt.text, got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestParseDuration(t *testing.T) {
	tests := map[string]struct {
		text string
		want time.Duration
		ok   bool
	}{
		"seconds":              {"90s", 90 * time.Second, true},
		"two units":            {"1h30m", 90 * time.Minute, true},
		"no unit":              {"90", 0, false},
		"days":                 {"1d", 0, false},
		"clock time":           {"1:30", 0, false},
		"zero":                 {"0s", 0, false},
		"negative":             {"-1s", 0, false},
		"a plus sign":          {"+1s", 0, false},
		"empty text":           {"", 0, false},
		"more than fits":       {"9999999h", 0, false},
		"a space":              {"1h 30m", 0, false},
		"exponent":             {"1e3s", 0, false},
		"words":                {"ten minutes", 0, false},
		"infinity":             {".inf", 0, false},
		"ISO 8601":             {"PT1H", 0, false},
		"an underscore":        {"1_0s", 0, false},
		"upper case":           {"10M", 0, false},
		"less than one second": {"250ms", 250 * time.Millisecond, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := unit.ParseDuration(tt.text)
			if got.Std() != tt.want || (err == nil) != tt.ok {
				t.Errorf("ParseDuration(%q) = %v, %v; want %v, ok %v", tt.text, got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestParseSize(t *testing.T) {
	tests := map[string]struct {
		text string
		want int64
		ok   bool
	}{
		"bytes":                      {"512B", 512, true},
		"kibibytes":                  {"64KiB", 64 << 10, true},
		"mebibytes":                  {"256MiB", 256 << 20, true},
		"gibibytes":                  {"1GiB", 1 << 30, true},
		"tebibytes":                  {"2TiB", 2 << 40, true},
		"decimal unit":               {"4MB", 0, false},
		"no unit":                    {"4096", 0, false},
		"no number":                  {"MiB", 0, false},
		"zero":                       {"0MiB", 0, false},
		"negative":                   {"-1MiB", 0, false},
		"fraction":                   {"1.5MiB", 0, false},
		"a space":                    {"4 MiB", 0, false},
		"lower case":                 {"4mib", 0, false},
		"empty text":                 {"", 0, false},
		"more than fits":             {"9999999999TiB", 0, false},
		"a number that is too large": {"99999999999999999999B", 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := unit.ParseSize(tt.text)
			if got.Bytes() != tt.want || (err == nil) != tt.ok {
				t.Errorf("ParseSize(%q) = %d, %v; want %d, ok %v", tt.text, got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestRefusalsShowHowToWriteIt(t *testing.T) {
	_, duration := unit.ParseDuration("90")
	_, money := unit.ParseMoney("5,00")
	_, size := unit.ParseSize("4MB")
	for want, err := range map[string]error{`"90s"`: duration, `"5.00"`: money, `"4MiB"`: size} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v; want it to show %s", err, want)
		}
	}
}

func TestTextForms(t *testing.T) {
	tests := map[string]struct{ got, want string }{
		"whole hours lose the zero units":   {unit.Duration(2 * time.Hour).String(), "2h"},
		"hours and minutes":                 {unit.Duration(90 * time.Minute).String(), "1h30m"},
		"minutes":                           {unit.Duration(10 * time.Minute).String(), "10m"},
		"seconds":                           {unit.Duration(90 * time.Second).String(), "1m30s"},
		"an hour and ten minutes":           {unit.Duration(70 * time.Minute).String(), "1h10m"},
		"ten hours and a second":            {unit.Duration(10*time.Hour + time.Second).String(), "10h0m1s"},
		"no time":                           {unit.Duration(0).String(), "0s"},
		"money has two digits":              {unit.Money(5_000_000).String(), "5.00"},
		"money keeps millionths":            {unit.Money(1).String(), "0.000001"},
		"money drops needless zeros":        {unit.Money(1_230_000).String(), "1.23"},
		"money may be negative in a record": {unit.Money(-1_500_000).String(), "-1.50"},
		"a size in its largest whole unit":  {unit.Size(4 << 20).String(), "4MiB"},
		"an odd size in bytes":              {unit.Size(1025).String(), "1025B"},
		"no bytes":                          {unit.Size(0).String(), "0B"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("String() = %q; want %q", tt.got, tt.want)
			}
		})
	}
}

func TestUnmarshalRefusesWhatIsNoQuantity(t *testing.T) {
	for name, into := range map[string]any{"duration": new(unit.Duration), "money": new(unit.Money), "size": new(unit.Size)} {
		t.Run(name, func(t *testing.T) {
			if err := json.Unmarshal([]byte(`"soon"`), into); err == nil {
				t.Errorf("Unmarshal(%q) = nil; want an error", "soon")
			}
		})
	}
}

func TestJSONRoundTrip(t *testing.T) {
	type all struct {
		D unit.Duration
		M unit.Money
		S unit.Size
	}
	rapid.Check(t, func(t *rapid.T) {
		want := all{
			D: unit.Duration(rapid.Int64Range(0, 1<<53).Draw(t, "duration")),
			M: unit.Money(rapid.Int64Range(-1<<62, 1<<62).Draw(t, "money")),
			S: unit.Size(rapid.Int64Range(0, 1<<62).Draw(t, "size")),
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got all
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Fatalf("Unmarshal(%s) = %v, %v; want %v", data, got, err, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"5.00", "90s", "256MiB", "", "-1", "1e9", "0.0000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := unit.ParseMoney(s); err == nil {
			if again, err := unit.ParseMoney(m.String()); err != nil || again != m || m < 0 {
				t.Errorf("ParseMoney(%q) = %d, written %q, read again %d, %v", s, m, m, again, err)
			}
		}
		if d, err := unit.ParseDuration(s); err == nil {
			if again, err := unit.ParseDuration(d.String()); err != nil || again != d || d <= 0 {
				t.Errorf("ParseDuration(%q) = %d, written %q, read again %d, %v", s, d, d, again, err)
			}
		}
		if n, err := unit.ParseSize(s); err == nil {
			if again, err := unit.ParseSize(n.String()); err != nil || again != n || n <= 0 {
				t.Errorf("ParseSize(%q) = %d, written %q, read again %d, %v", s, n, n, again, err)
			}
		}
	})
}
