package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/child"
)

// An external is a program of its own that "looprun NAME" hands over to. What
// it needs would make this one several times as large.
type external struct{ name, short, module string }

var externals = []external{
	{"mcp", "Let agents read and file tasks over the Model Context Protocol", "looprun.dev/looprun/mcp/cmd/looprun-mcp"},
	{"temporal", "Run tasks on many machines, as workflows of a Temporal cluster", "looprun.dev/looprun/engine/temporal/cmd/looprun-temporal"},
}

func (a *app) externalCommands() []*cobra.Command {
	var all []*cobra.Command
	for _, e := range externals {
		all = append(all, &cobra.Command{
			Use: e.name + " [ARGUMENT...]", Short: e.short,
			Long: fmt.Sprintf(`%s hands over to the program looprun-%[1]s, with all arguments. It is looked for
beside looprun, then in PATH, and comes with

	go install %s@latest`, e.name, e.module),
			DisableFlagParsing: true,
			RunE:               func(_ *cobra.Command, args []string) error { return a.handOver(e, args) },
		})
	}
	return all
}

// handOver returns only if the program can't be started, or has ended where a
// process can't be replaced.
func (a *app) handOver(e external, args []string) error {
	argv := append([]string{"looprun-" + e.name}, args...) // flags given before the name are among them
	code, err := child.Become(append([]string{beside(argv[0])}, argv[1:]...), a.environ)
	if errors.Is(err, child.ErrMissing) {
		code, err = child.Become(argv, a.environ)
	}
	switch {
	case errors.Is(err, child.ErrMissing):
		a.hint("go install %s@latest", e.module)
		return withCode(exitHeld, fmt.Errorf("%s is neither beside looprun nor in PATH", argv[0]))
	case err != nil:
		return err
	}
	return withCode(code, nil)
}

// beside is where a program stands that was installed together with this one.
func beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}
