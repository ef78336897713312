package extract

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/signature"
)

const (
	maxErrorLines = 40
	maxCandidates = 1000 // lines that are masked to choose from
	lastLines     = 5

	pathFallback = "fallback"
)

// fallback is for output that nobody recognises: the lines that look like
// errors, each a failure of its own; else the last lines; else how it ended.
func (r *reader) fallback(f *found) {
	class := r.end.class()
	var lines []string
	for _, stream := range r.page.streams {
		lines = append(lines, errorLines(stream, f.masks)...)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for _, line := range lines[:min(len(lines), maxErrorLines)] {
		f.fail("", class, line)
	}
	if len(lines) > 0 || isSignal(class) {
		f.excess += max(0, len(lines)-maxErrorLines)
		return
	}
	f.fail("", class, lastSaid(r.page, f))
}

func isSignal(class string) bool { return strings.HasPrefix(class, "signal:") }

// lastSaid gives the last lines of what was printed, in order, with every
// number masked.
func lastSaid(p *page, f *found) string {
	var last []string
	for _, stream := range p.streams {
		var tail []string
		for k := len(stream) - 1; k >= 0 && len(tail) < lastLines; k-- {
			if text := strings.TrimSpace(stream[k]); text != "" {
				tail = append(tail, signature.Numberless(f.mask(limited(text))))
			}
		}
		slices.Reverse(tail)
		last = append(last, tail...)
	}
	return strings.Join(last[max(0, len(last)-lastLines):], "\n")
}

// errorLines gives the lines that look like errors: masked, without places,
// sorted, distinct. What only says that a command of a wrapper failed is left
// out, unless there is nothing else.
func errorLines(lines []string, masks []signature.Masker) []string {
	var own, wrappers []string
	seen := map[string]bool{}
	for _, line := range candidates(lines) {
		text := signature.Mask(withoutPlaces(limited(strings.TrimSpace(line))), masks...)
		switch {
		case text == "" || seen[text]:
		case isWrapper(text):
			wrappers = append(wrappers, text)
		default:
			own = append(own, text)
		}
		seen[text] = true
	}
	if len(own) == 0 {
		own = telling(wrappers)
	}
	slices.Sort(own)
	return own
}

// telling keeps the lines of a wrapper that name a fault of the environment,
// if some do.
func telling(wrappers []string) []string {
	var list []string
	for _, line := range wrappers {
		if infraWords.first(line) != "" {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return wrappers
	}
	return list
}

// candidates picks the lines to mask, with what stands under them: of very many
// the first and the last.
func candidates(lines []string) []string {
	list := inContext(lines)
	if len(list) > maxCandidates {
		list = slices.Concat(list[:maxCandidates/2], list[len(list)-maxCandidates/2:])
	}
	return list
}

// wrapper lines say that a command failed, which is known.
var wrapper = pattern(`^(?:[\w-]*make(?:\[\d+\])?: \*\*\* .* Error \d+(?: \(ignored\))?` +
	`|npm (?:ERR!|error).*|error Command failed with exit code \d+\.|.*ELIFECYCLE.*` +
	`|ninja: build stopped: .*|error: script "\S+" exited with code \d+|error: Recipe .* failed on line.* with exit code \d+` +
	`|(?:task: )?Failed to run task .*|exit status \d+|Error: Process completed with exit code \d+\.?|info Visit https?://\S+ .*|error: .*the following (?:\w+ )?command failed.*)$`)

func isWrapper(line string) bool { return wrapper().MatchString(line) }

// errorWords make a line look like an error.
var errorWords = wordsOf([]string{
	"error",
	"error", "fail", "not ok", "panic", "exception", "assert", "expect", "fatal", "undefined", "cannot", "can't",
	"not found", "no such", "denied", "refused", "unable to", "invalid", "unexpected", "missing", "killed", "aborted",
	"segmentation fault", "core dumped", "mismatch", "traceback", "unknown", "unhandled", "could not", "not defined",
})

// looksLikeError reports whether a line has one of errorWords at the beginning
// of a word, or after a change of case inside one, as in "TypeError".
func looksLikeError(line string) bool {
	for i := range len(line) {
		if i > 0 && isLower(line[i-1]) && isLower(line[i]) {
			continue
		}
		if errorWords.at(line, i) != "" {
			return true
		}
	}
	return false
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
