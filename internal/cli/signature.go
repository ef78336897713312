package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/signature/extract"
)

func (a *app) signatureCommand() *cobra.Command {
	var manifest string
	cmd := &cobra.Command{
		Use:   "signature --manifest FILE",
		Short: "Try the failure signatures on saved outputs of test tools",
		Long: `signature reads a manifest, a JSON list of saved outputs with the group that each
belongs to, and prints what it makes of each sample. Samples of one tool and one
group must get one signature, those of two groups different ones: if a group of
level must is split or merged it exits with 3.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.signatures(a.path(manifest)) },
	}
	cmd.Flags().StringVar(&manifest, "manifest", "", "the list of samples `FILE`")
	_ = cmd.MarkFlagRequired("manifest")
	return cmd
}

// A signed is one line of signature --json.
type signed struct {
	Tool      string              `json:"tool"`
	Sample    string              `json:"sample"`
	Group     string              `json:"group"`
	Signature string              `json:"signature"` // "" for a run that passed
	PathTaken string              `json:"path_taken"`
	Records   []signature.Failure `json:"records"`
}

func (a *app) signatures(manifest string) error {
	data, err := os.ReadFile(manifest)
	if err != nil {
		return withCode(exitUsage, err)
	}
	samples, err := extract.ReadManifest(data)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("%s: %w", manifest, err))
	}
	var all []extract.Judged
	w := columns(a.stdout)
	for _, s := range samples {
		judged, err := judgeSample(filepath.Dir(manifest), s)
		if err != nil {
			return withCode(exitUsage, err)
		}
		all = append(all, judged)
		line := signed{s.Tool, s.Sample, s.Group, judged.Signature.Hash, judged.PathTaken, append([]signature.Failure{}, judged.Failures...)}
		if a.json {
			a.printJSON(line)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", line.Tool, line.Sample, line.Group, orDash(line.Signature), line.PathTaken, len(line.Records))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return a.compare(extract.Compare(all))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func judgeSample(dir string, s extract.Sample) (extract.Judged, error) {
	read := func(name string) ([]byte, error) {
		if name == "" {
			return nil, nil
		}
		return os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	}
	stdout, err1 := read(s.Stdout)
	stderr, err2 := read(s.Stderr)
	report, err3 := read(s.Report)
	return extract.Judge(s, s.Output(stdout, stderr, report)), errors.Join(err1, err2, err3)
}

// compare tells how well the groups were met, and each that was not.
func (a *app) compare(r extract.Report) error {
	for _, c := range r.Conflicts {
		fmt.Fprintf(a.stderr, "looprun: %s (%s) %s: %s: %s\n", c.Kind, c.Level, c.Tool, strings.Join(c.Groups, ", "), strings.Join(c.Samples, " and "))
	}
	for _, s := range []struct {
		level string
		extract.Score
	}{{"must", r.Must}, {"should", r.Should}} {
		fmt.Fprintf(a.stderr, "looprun: %s: %d of %d groups, %d of %d pairs the same, %d of %d pairs different\n",
			s.level, s.Groups, s.GroupsOf, s.Same, s.SameOf, s.Different, s.DifferentOf)
	}
	if !r.Right() {
		return withCode(exitBlocked, nil)
	}
	return nil
}
