package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes whose text and JSON form is "256MiB".
type Size int64

var sizeUnits = [...]struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// ParseSize reads a whole positive number with a binary unit, as "256MiB".
// Decimal units are refused: "MB" means one thing to some and another to others.
func ParseSize(s string) (Size, error) {
	for _, u := range sizeUnits {
		count, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		if !digits(count) {
			break
		}
		n, err := strconv.ParseInt(count, 10, 64)
		if err != nil || n > math.MaxInt64/u.bytes {
			return 0, fmt.Errorf("%q is too large a size", s)
		}
		if n == 0 {
			break
		}
		return Size(n * u.bytes), nil
	}
	return 0, fmt.Errorf("%q is not a size above zero: write it as \"512B\", \"64KiB\", \"4MiB\" or \"1GiB\"", s)
}

// Bytes gives s to functions of the standard library.
func (s Size) Bytes() int64 { return int64(s) }

// String writes the largest unit that loses nothing.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return "0B"
}

// MarshalText makes Size a string in JSON.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes, zero included.
func (s *Size) UnmarshalText(b []byte) error {
	if string(b) == "0B" {
		*s = 0
		return nil
	}
	v, err := ParseSize(string(b))
	*s = v
	return err
}
