package extract

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"looprun.dev/looprun/internal/signature"
)

// anySample draws one failing sample of all manifests.
func anySample(t *testing.T) *rapid.Generator[Output] {
	var outputs []Output
	for _, dir := range manifests {
		for _, s := range readManifest(t, dir) {
			if s.ExitCode != 0 {
				outputs = append(outputs, outputOf(t, dir, s))
			}
		}
	}
	return rapid.SampledFrom(outputs)
}

func sign(in Output) signature.Signature {
	return signature.Of(signature.Evidence{Checks: []signature.Check{Extract(in).Check}})
}

// The tree of a round lies under a folder that names the round and the run.
func TestNeitherRoundNorRunNorTreeChangeASignature(t *testing.T) {
	samples := anySample(t)
	name := rapid.StringMatching(`[a-zA-Z0-9][a-zA-Z0-9._-]{0,11}`)
	rapid.Check(t, func(t *rapid.T) {
		in := samples.Draw(t, "sample")
		tree := fmt.Sprintf("/%s/looprun/round-%d/run-%s/tree", path.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "folders")...), rapid.IntRange(1, 999).Draw(t, "round"), name.Draw(t, "run"))
		moved := in
		for _, b := range []*[]byte{&moved.Stdout, &moved.Stderr, &moved.Report} {
			if *b != nil {
				*b = bytes.ReplaceAll(*b, []byte(in.WorkTree[0]+"/"), []byte(tree+"/"))
			}
		}
		moved.WorkTree = []string{tree, in.WorkTree[0]}
		if got, want := sign(moved), sign(in); !got.Same(want) {
			t.Fatalf("in %s: %s; want %s", tree, got.Input, want.Input)
		}
	})
}

func TestColourDoesNotChangeASignature(t *testing.T) {
	samples := anySample(t)
	colour := rapid.SampledFrom([]string{"", "\x1b[31m", "\x1b[0m", "\x1b[1;38;5;9m", "\x1b[K", "\x1b[39;49;00m"})
	rapid.Check(t, func(t *rapid.T) {
		in := samples.Draw(t, "sample")
		coloured := in
		for _, b := range []*[]byte{&coloured.Stdout, &coloured.Stderr} {
			*b = painted(t, *b, colour)
		}
		if got, want := sign(coloured), sign(in); !got.Same(want) {
			t.Fatalf("in colour: %s; want %s", got.Input, want.Input)
		}
	})
}

// painted puts colours at the ends of some lines and between some words, and
// ends some lines as Windows does.
func painted(t *rapid.T, text []byte, colour *rapid.Generator[string]) []byte {
	var b strings.Builder
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		if i > 40 && i < len(lines)-40 || line == "" {
			b.WriteString(line)
			continue
		}
		body, end := line, ""
		if strings.HasSuffix(line, "\n") {
			body, end = line[:len(line)-1], rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		}
		first, rest, more := strings.Cut(body, " ")
		b.WriteString(colour.Draw(t, "before") + first)
		if more {
			b.WriteString(colour.Draw(t, "between") + " " + rest)
		}
		b.WriteString(colour.Draw(t, "after") + end)
	}
	return []byte(b.String())
}

// What a passing test prints between the lines of others must not matter, nor
// which tests pass.
func TestOutputOfTestsThatPassDoesNotChangeASignature(t *testing.T) {
	noise := rapid.StringMatching(`(worker|at|note) [a-z0-9.: ]{0,40}`)
	rapid.Check(t, func(t *rapid.T) {
		log := func() Output {
			var b strings.Builder
			for i := range rapid.IntRange(0, 5).Draw(t, "tests") {
				fmt.Fprintf(&b, "=== RUN   TestPass%d\n%s\n--- PASS: TestPass%d (0.0%ds)\n", i, noise.Draw(t, "noise"), i, rapid.IntRange(0, 9).Draw(t, "time"))
			}
			b.WriteString("=== RUN   TestFail\n" + noise.Draw(t, "noise") + "\n    a_test.go:" + fmt.Sprint(rapid.IntRange(1, 999).Draw(t, "line")) + ": got 5, want 4\n--- FAIL: TestFail (0.00s)\nFAIL\nFAIL\texample.test/a\t0.1s\n")
			return Output{ExitCode: 1, Stdout: []byte(b.String())}
		}
		if a, b := sign(log()), sign(log()); !a.Same(b) {
			t.Fatalf("%s and %s; want one signature", a.Input, b.Input)
		}
	})
}

// The order of failures, of streams and of repeated runs is chance.
func TestOrderDoesNotChangeASignature(t *testing.T) {
	blocks := []string{
		"src/a.ts(4,26): error TS2345: Argument bad.\n  Type 'a' is no 'b'.\n",
		"src/b.ts(1,2): error TS2304: Cannot find name 'x'.\n",
		"src/c.ts(9,1): error TS1134: Variable declaration expected.\n",
	}
	want := sign(Output{ExitCode: 2, Stdout: []byte(strings.Join(blocks, ""))})
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation(slices.Clone(blocks)).Draw(t, "order")
		cut := rapid.IntRange(0, len(order)).Draw(t, "on standard output")
		in := Output{ExitCode: 2, Stdout: []byte(strings.Join(order[:cut], "")), Stderr: []byte(strings.Join(order[cut:], ""))}
		if got := sign(in); !got.Same(want) {
			t.Fatalf("%s; want %s", got.Input, want.Input)
		}
	})
}
