package child

import (
	"fmt"
	"os"
	"os/signal"
)

// become leaves Ctrl-C to the program, which gets it too.
func (p *program) become() (int, error) {
	signal.Ignore(os.Interrupt)
	p.attr.Files = []*os.File{os.Stdin, os.Stdout, os.Stderr}
	proc, err := os.StartProcess(p.path, p.argv, &p.attr)
	if err != nil {
		return 0, fmt.Errorf("start %q: %w", p.path, err)
	}
	state, err := proc.Wait()
	if err != nil {
		return 0, fmt.Errorf("wait for %q: %w", p.path, err)
	}
	return state.ExitCode(), nil
}
