//go:build linux || darwin

package child

import "fmt"

// Left counts the processes that a dead looprun has left, as EndOrphans would
// end them, and signals none.
func Left(procs []Proc, runIDs []string) (int, error) {
	o, err := newOrphans(procs, runIDs)
	if err != nil {
		return 0, err
	}
	alive, err := o.living()
	if err != nil {
		return 0, fmt.Errorf("look for processes of an earlier looprun: %w", err)
	}
	return len(alive), nil
}
