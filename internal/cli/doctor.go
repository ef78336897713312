package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
)

func (a *app) doctorCommand() *cobra.Command {
	var probe count
	var drill bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether everything is in place, and say what to do where it is not",
		Long: `doctor looks at git, the repository, loop.yaml, the generator, the folders, the disk and
the records, and prints a line for each: ok, warn or bad. It mends nothing. It ends
with 69 if something is bad.

With --probe it runs every check N times on the base instead, and tells whether the
verdict and the failure signature are always the same.

With --drill it plants faults in a copy of the repository, and one change that harms
nothing, and tells whether each is caught by its own rule. What could not be planted
is skipped, which is not passed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case probe > 0:
				return a.probe(cmd.Context(), int(probe))
			case drill:
				return a.drill(cmd.Context())
			}
			return a.doctor(cmd.Context())
		},
	}
	cmd.Flags().Var(&probe, "probe", "run each check `N` times on the base, and compare")
	cmd.Flags().BoolVar(&drill, "drill", false, "plant faults in a copy of the repository")
	cmd.MarkFlagsMutuallyExclusive("probe", "drill")
	return cmd
}

// The levels of a finding.
const (
	fine    = "ok"
	notable = "warn" // works, but somebody should know
	bad     = "bad"  // does not work until somebody does something
)

// A finding is one thing that doctor looked at.
type finding struct {
	Check string `json:"check"`
	Level string `json:"level"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"` // what to do
}

// An examination gathers findings.
type examination struct {
	*app
	cfg    config.Config
	worst  string
	counts map[string]int
}

func (a *app) doctor(ctx context.Context) error {
	x := &examination{app: a, counts: map[string]int{}}
	x.gitVersion(ctx)
	if x.settings() {
		x.commands(ctx)
		x.confinement(ctx)
		x.folders()
		x.disk()
		x.queueFiles()
		x.records()
		x.repository(ctx)
	}
	if ctx.Err() != nil {
		return asSignal(ctx, nil)
	}
	if n := x.counts[bad]; n > 0 {
		return withCode(exitHeld, fmt.Errorf("%s to put right", plural(n, "thing")))
	}
	return nil
}

// found prints a finding as soon as it is there: some take time.
func (x *examination) found(level, check, hint, format string, args ...any) {
	f := finding{Check: check, Level: level, Text: fmt.Sprintf(format, args...), Hint: hint}
	x.counts[level]++
	if x.json {
		x.printJSON(f)
		return
	}
	fmt.Fprintf(x.stdout, "%-4s  %-10s  %s\n", f.Level, f.Check, oneLine(f.Text))
	if hint != "" && level != fine {
		fmt.Fprintf(x.stdout, "%18s%s\n", "", oneLine(hint))
	}
}

// failed tells an error as a finding: that something could not be looked at is
// one too.
func (x *examination) failed(check string, err error) {
	x.found(bad, check, "", "%v", err)
}

// settings reads loop.yaml, without which there is nothing more to look at.
func (x *examination) settings() bool {
	path, err := x.configPath()
	if err != nil {
		x.failed("loop.yaml", err)
		return false
	}
	cfg, faults, err := config.Load(path)
	switch {
	case err != nil:
		x.failed("loop.yaml", err)
		return false
	case len(faults) > 0:
		for _, f := range faults {
			f.File = x.short(f.File)
			x.found(bad, "loop.yaml", "looprun init writes one where there is none; looprun help files", "%s", f)
		}
		return false
	}
	x.cfg = cfg
	for _, f := range cfg.Warnings() {
		f.File = x.short(f.File)
		x.found(notable, "loop.yaml", "", "%s", f)
	}
	x.found(fine, "loop.yaml", "", "%s is valid", x.short(path))
	return true
}
