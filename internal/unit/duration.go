package unit

import (
	"fmt"
	"strings"
	"time"
)

// A Duration is a time.Duration whose text and JSON form is "90s" or "1h30m".
type Duration time.Duration

// ParseDuration reads a positive duration with units, as "90s" or "1h30m".
func ParseDuration(s string) (Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || strings.HasPrefix(s, "+") {
		return 0, fmt.Errorf("%q is not a duration above zero: write it as \"90s\", \"10m\" or \"24h\"", s)
	}
	return Duration(d), nil
}

// Std gives d to functions of the standard library.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String drops the zero units that the standard library writes, as in "1h0m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText makes Duration a string in JSON.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes, zero included.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}
