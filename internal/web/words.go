package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// words are what templates call to put values into words.
var words = template.FuncMap{
	"say": func(code any) string { return say(fmt.Sprint(code)) }, "count": count, "plural": plural, "short": short, "ms": milliseconds, "span": span,
	"ago": ago, "clock": clock, "iso": iso, "argv": argv, "stage": stageState, "decision": decisionState,
	"percent": percent, "money": money, "advise": task.Advice.InWords, "size": size, "join": strings.Join, "tokens": tokens,
	"prev": func(n int) int { return n - 1 }, "next": func(n int) int { return n + 1 }, "logs": logs,
	"lines": func(s string) string { return strings.TrimRight(s, "\n") },
}

// logs is the address of a file of a task's records.
func logs(id, file string) string {
	return "/tasks/" + url.PathEscape(id) + "/log?" + url.Values{"file": {file}}.Encode()
}

// say is a code as people say it.
func say[T ~string](code T) string { return strings.ReplaceAll(string(code), "_", " ") }

// count is a number in groups of three digits.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, word string) string {
	if n != 1 {
		switch {
		case strings.HasSuffix(word, "y"):
			word = strings.TrimSuffix(word, "y") + "ies"
		default:
			word += "s"
		}
	}
	return count(n) + " " + word
}

// short is the beginning of a digest that people know it by.
func short(digest string) string { return digest[:min(len(digest), 10)] }

func milliseconds(ms int64) string { return span(time.Duration(ms) * time.Millisecond) }

// span is a duration to two places.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + span(-d)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return pair(int(d.Minutes()), "min", int(d.Seconds())%60, "s")
	case d < 48*time.Hour:
		return pair(int(d.Hours()), "h", int(d.Minutes())%60, "min")
	}
	return pair(int(d.Hours())/24, "d", int(d.Hours())%24, "h")
}

func pair(a int, as string, b int, bs string) string {
	if b == 0 {
		return fmt.Sprintf("%d %s", a, as)
	}
	return fmt.Sprintf("%d %s %d %s", a, as, b, bs)
}

// ago is how far a time is from now, in one unit.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in " + rough(-d)
	case d < time.Second:
		return "just now"
	}
	return rough(d) + " ago"
}

func rough(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours())/24)
}

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// argv is a command as it would be typed.
func argv(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		if quoted[i] = a; a == "" || strings.ContainsAny(a, " \t\n'\"\\$`*?#&|;<>(){}[]~!") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func percent(part, whole int) string {
	if whole == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole))
}

// money is an amount in dollars; none where it is not known.
func money(m any) string {
	switch m := m.(type) {
	case unit.Money:
		return "$" + m.String()
	case *unit.Money:
		if m != nil {
			return "$" + m.String()
		}
	}
	return "unknown"
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func tokens(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1e6:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
