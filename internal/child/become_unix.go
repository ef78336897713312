//go:build linux || darwin

package child

import (
	"fmt"
	"syscall"
)

func (p *program) become() (int, error) {
	return 0, fmt.Errorf("start %q: %w", p.path, syscall.Exec(p.path, p.argv, p.attr.Env))
}
