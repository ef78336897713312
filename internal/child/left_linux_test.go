package child

import "testing"

func TestWhatADeadLooprunLeftIsCountedAndLeftAlone(t *testing.T) {
	for _, level := range []string{"", Subreaper} {
		t.Run("at level "+level, func(t *testing.T) {
			run := "left-" + level
			p := killedLooprun(t, run, level)
			for range 2 {
				if got, err := Left([]Proc{p}, []string{run}); got != 5 || err != nil {
					t.Errorf("Left = %d, %v; want 5", got, err)
				}
			}
			if got, err := Left(nil, []string{"some-other-run"}); got != 0 || err != nil {
				t.Errorf("Left of another run = %d, %v; want 0", got, err)
			}
		})
	}
}
