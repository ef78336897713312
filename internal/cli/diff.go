package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/round"
)

func (a *app) diffCommand() *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "diff ID",
		Short: "Print what a task changed, as a patch",
		Long:  `diff prints the candidate of the last round, or of the one that is asked for, as git apply takes it.`,
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.diff(args[0], n) },
	}
	cmd.Flags().IntVar(&n, "round", 0, "of round `N`, accepted or not")
	return cmd
}

func (a *app) diff(id string, n int) error {
	h, err := a.history(id)
	if err != nil {
		return err
	}
	c, err := candidateOf(h.State, n)
	if err != nil {
		return withCode(exitUsage, err)
	}
	if c.Patch.Path == "" {
		fmt.Fprintf(a.stderr, "looprun: %s changed nothing in that round\n", id)
		return nil
	}
	home, err := a.home()
	if err != nil {
		return err
	}
	patch, err := os.ReadFile(filepath.Join(home, loop.LoopDir, "tasks", id, filepath.FromSlash(c.Patch.Path)))
	if err != nil {
		return fmt.Errorf("%w\nthe candidate is commit %s", err, c.Commit)
	}
	_, err = a.raw.Write(patch)
	return err
}

// candidateOf is what the last try of a round changed; round 0 is the last one
// that was started.
func candidateOf(s round.State, n int) (round.Candidate, error) {
	for i := len(s.Rounds) - 1; i >= 0; i-- {
		r := s.Rounds[i]
		if tries := len(r.Tries); tries > 0 && (n == 0 || n == r.N) {
			return r.Tries[tries-1].Try.Candidate, nil
		}
	}
	if n == 0 {
		return round.Candidate{}, fmt.Errorf("%s was not started yet", s.Task.ID)
	}
	return round.Candidate{}, fmt.Errorf("%s has no round %d", s.Task.ID, n)
}
