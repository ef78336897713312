// Package unit has the quantities that tasks, loop.yaml and records share, each
// with one text form: money, durations and sizes. It is pure.
package unit

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in millionths of a US dollar. Its text form is a plain
// decimal such as "5.00"; that is also its JSON form, as a string.
type Money int64

// ParseMoney reads a plain decimal with at most six digits after the point.
// Signs, exponents and separators are refused, so that no amount is guessed.
func ParseMoney(s string) (Money, error) {
	whole, frac, _ := strings.Cut(s, ".")
	if !digits(whole) || (frac != "" && !digits(frac)) || len(frac) > 6 || strings.HasSuffix(s, ".") {
		return 0, fmt.Errorf("%q is not an amount: write it as \"5.00\"", s)
	}
	n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 6-len(frac)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large an amount", s)
	}
	return Money(n), nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// String writes at least two digits after the point and no needless zeros.
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	frac := strings.TrimRight(fmt.Sprintf("%06d", int64(m)%1e6), "0")
	for len(frac) < 2 {
		frac += "0"
	}
	return fmt.Sprintf("%s%d.%s", sign, int64(m)/1e6, frac)
}

// MarshalText makes Money a string in JSON.
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Money) UnmarshalText(b []byte) error {
	v, err := ParseMoney(strings.TrimPrefix(string(b), "-"))
	if err == nil && strings.HasPrefix(string(b), "-") {
		v = -v
	}
	*m = v
	return err
}
