package recovery

import (
	"slices"
	"strings"
)

// Bounds on the last lines of stderr that count.
const (
	maxTailBytes = 8 << 10
	maxTailLines = 100
	maxLastBlock = 25 // lines
)

var (
	escapes = lazily("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-Z\\\\-_]")

	// An error mark begins a line that says that something failed.
	errorMark = lazily(`(?i)^\W*(?:[✗✘×✕❌✖!⚠] ?|\[?api error\b|(?:\w+: )?(?:fatal|error|failed|failure|panic|exception|unhandled|uncaught|aborted|execution failed)\b|(?:[\w.]*\.)?_?[a-z]\w*(?:error|exception)\b:?|error[:\[]|\d{4}-\d\d-\d\dT\S+\s+ERROR\b|(?:\S+ ){0,3}failed[:,]|\S+: line \d+: +\d+ (?:killed|aborted|terminated|segmentation fault|bus error)\b|the (?:llm|model) did not\b|only \d+ reflections\b|sorry, you)`)

	// A line may also say so after a few words. That is believed of a program
	// that failed, not of one that may be talking.
	errorWord = lazily(`(?i)^.{0,60}\b(?:error|exception|failed):`)

	// Lines that tell of something other than the end: progress between two
	// attempts, levels below an error, what tests and diffs print.
	progress = lazily(`(?i)\bretrying\b|\breconnecting\b|\bwill retry\b|\bbacking off\b|\battempt \d+(?:/\d+| of \d+)?[: ]+(?:failed|error)?\b`)
	chatter  = lazily(`(?i)^\W*(?:warn(?:ing)?|info|debug|trace|note|hint|log)\b\s*[:\])]|^\d{4}-\d\d-\d\dT\S+\s+(?:WARN|INFO|DEBUG|TRACE)\b|\bfalling back\b|^\[STARTUP\]`)
	quoted   = lazily("^(?:=== |--- |\\+\\+\\+ |@@ |diff --git|[+-]\\s|[+-]\\w|\\s*[\\w./-]+\\.\\w{1,5}:\\d+[: ]|ok\\s+\\S+\\s+|PASS$|FAIL\\b|```|>\\s)|\\bAssertionError\\b")
	frame    = lazily(`^\s+at |^\s*File "|^\s+\d+: 0x|^\s*\.{3}$`)
)

// lastLines is the end of stderr, without the codes that colour it.
func lastLines(stderr string) string {
	text := escapes().ReplaceAllString(clipFront(stderr, maxTailBytes), "")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-maxTailLines):], "\n")
}

// errorBlocks are the parts of stderr's end that can be an error, the last one
// first: lines that stand together, without the stack under them. All but the
// last must say so themselves, since programs log much that is no error.
// Progress comes after all others, for a run that left nothing else.
func errorBlocks(stderr string) []string {
	var blocks [][]string
	var block, attempts []string
	end := func() {
		if len(block) > 0 {
			blocks = append(blocks, block)
		}
		block = nil
	}
	for _, line := range strings.Split(lastLines(stderr), "\n") {
		switch {
		case frame.in(line):
		case strings.TrimSpace(line) == "", chatter.in(line), quoted.in(line):
			end()
		case progress.in(line):
			end()
			attempts = append(attempts, line)
		default:
			block = append(block, line)
		}
	}
	end()
	var errors []string
	for i := len(blocks) - 1; i >= 0; i-- {
		if part := errorPart(blocks[i], i == len(blocks)-1); part != "" {
			errors = append(errors, part)
		}
	}
	return append(errors, reversed(attempts)...)
}

// errorPart is a block from its first line on that calls itself an error. The
// last block is believed without one, but not more than its end.
func errorPart(block []string, last bool) string {
	says := func(line string) bool { return errorMark.in(line) || errorWord.in(line) }
	if at := slices.IndexFunc(block, says); at >= 0 {
		return strings.Join(block[at:], "\n")
	}
	if !last {
		return ""
	}
	return strings.Join(block[max(0, len(block)-maxLastBlock):], "\n")
}

// MarkedLines are the lines at the very end of a text that say themselves that
// they are errors, "" when its last line does not. They are all that is
// believed of a text which may as well be the agent's own words.
func MarkedLines(text string) string {
	lines := strings.Split(strings.TrimSpace(lastLines(text)), "\n")
	var marked []string
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i]
		if strings.TrimSpace(line) == "" || frame.in(line) {
			continue
		}
		if !errorMark.in(line) || chatter.in(line) || quoted.in(line) {
			break
		}
		marked = append(marked, line)
	}
	return strings.Join(reversed(marked), "\n")
}

func reversed(list []string) []string {
	r := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		r = append(r, list[i])
	}
	return r
}
