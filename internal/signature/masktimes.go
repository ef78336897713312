package signature

import (
	"slices"
	"strings"
)

// timestamp: a date, a time of day, or both with a zone, as in ISO 8601 and
// its usual relatives.
func timestamp(text string, i int) int {
	end := date(text, i)
	if end == 0 {
		return clock(text, i)
	}
	if end+1 < len(text) && strings.IndexByte("Tt ", text[end]) >= 0 {
		if e := clock(text, end+1); e > 0 {
			return e
		}
	}
	if !closed(text, end) {
		return 0
	}
	return end
}

func date(text string, i int) int {
	if end := namedDate(text, i); end > 0 {
		return end
	}
	if span(text, i, isDigit) != 4 || i+10 > len(text) {
		return 0
	}
	sep := text[i+4]
	if sep != '-' && sep != '/' || text[i+7] != sep {
		return 0
	}
	if span(text, i+5, isDigit) != 2 || span(text, i+8, isDigit) != 2 {
		return 0
	}
	return i + 10
}

var monthNames = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// namedDate: the day and year of a date with the name of a month, before them
// as in "Nov 12, 2026" or between them as in "12 Nov 2026".
func namedDate(text string, i int) int {
	day := span(text, i, isDigit)
	if day < 1 || day > 2 {
		return 0
	}
	end := i + day
	if len(text) > end+4 && text[end] == ' ' && monthAt(text, end+1) {
		end += 4
	} else if !(i >= 4 && monthAt(text, i-4)) {
		return 0
	}
	if end < len(text) && text[end] == ',' {
		end++
	}
	if end >= len(text) || text[end] != ' ' || span(text, end+1, isDigit) != 4 {
		return 0
	}
	return end + 5
}

// monthAt reports whether a word of three letters at i is a month's name.
func monthAt(text string, i int) bool {
	return (i == 0 || !isWord(text[i-1])) && text[i+3] == ' ' && slices.Contains(monthNames, text[i:i+3])
}

func clock(text string, i int) int {
	hour := span(text, i, isDigit)
	i += hour
	if hour < 1 || hour > 2 {
		return 0
	}
	for range 2 {
		if i >= len(text) || text[i] != ':' || span(text, i+1, isDigit) != 2 {
			return 0
		}
		i += 3
	}
	if i+1 < len(text) && strings.IndexByte(".,", text[i]) >= 0 && isDigit(text[i+1]) {
		i += 1 + span(text, i+1, isDigit)
	}
	return zone(text, i)
}

func zone(text string, i int) int {
	if i < len(text) && text[i]|0x20 == 'z' && closed(text, i+1) {
		return i + 1
	}
	at := i
	if at < len(text) && text[at] == ' ' {
		at++
	}
	if at >= len(text) || text[at] != '+' && text[at] != '-' {
		return i
	}
	n := span(text, at+1, isDigit)
	end := at + 1 + n
	if n == 2 && end < len(text) && text[end] == ':' && span(text, end+1, isDigit) == 2 {
		return end + 3
	}
	if n == 4 {
		return end
	}
	return i
}
