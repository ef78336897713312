package loop_test

import (
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/loop"
)

// What looprun itself makes durable in a task, whichever way it is counted: 12
// fsyncs for a round in place with a generator and a check that do nothing, 3
// more for each further round. Each of them is proved needed beside the package
// that makes it.
func TestFsyncsOfATaskInPlace(t *testing.T) {
	f := layOut(t, "counted", scenario{
		mode: config.InPlace, tasks: []string{"first"}, agent: ":",
		check: `test -e ../fail || exit 0; printf x >>../fail; echo "the answer is $(cat ../fail)"; exit 1`,
	})
	f.must(f.passes(nil)) // what is made once for all
	syncs := func(more string, ids ...string) int {
		t.Helper()
		f.add(more, ids...)
		seam := &fsxtest.Recorder{}
		_, err := pass(f.dir, loop.Limits{}, playing{seam: seam})
		f.must(err)
		return seam.Syncs()
	}
	idle, one := syncs(""), syncs("", "one")
	if idle > 1 || one > 12 {
		t.Errorf("%d fsyncs without a task, %d for one of a round; want at most 1 and 12", idle, one)
	}
	f.must(fsx.Scratch(f.dir).WriteFile("fail", nil))
	two, three := syncs(`, "limits": {"max_rounds": 2}`, "two"), syncs(`, "limits": {"max_rounds": 3}`, "three")
	if two-one > 3 || three-two > 3 {
		t.Errorf("fsyncs of one, two and three rounds: %d, %d, %d; want at most 3 more each", one, two, three)
	}
	t.Logf("no task %d, one round %d, two %d, three %d fsyncs", idle, one, two, three)
}
