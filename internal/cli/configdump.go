package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the configuration that holds", Args: cobra.NoArgs}
	cmd.AddCommand(&cobra.Command{
		Use:   "dump",
		Short: "Print every setting with its value and where it comes from",
		Long: `dump prints all settings, a line each: the path in loop.yaml, where the value
comes from (the file with the line, or built-in), and the value. Values of variables whose names are those
of secrets, and the path of a webhook, are left out.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.dumpConfig() },
	})
	return cmd
}

// A setting is what config dump --json prints for each.
type setting struct {
	Path   string          `json:"path"`
	Value  json.RawMessage `json:"value"`
	Origin string          `json:"origin"` // built-in, adapter or file
	File   string          `json:"file,omitempty"`
	Line   int             `json:"line,omitempty"`
}

func (a *app) dumpConfig() error {
	file, err := a.configPath()
	if err != nil {
		return err
	}
	cfg, err := a.load()
	if err != nil {
		return err
	}
	w := columns(a.stdout)
	for _, v := range cfg.Values() {
		s, err := newSetting(cfg, v, file)
		if err != nil {
			return err
		}
		if a.json {
			a.printJSON(s)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Path, a.origin(s), tabless(string(s.Value)))
	}
	return w.Flush()
}

func newSetting(cfg config.Config, v config.Value, file string) (setting, error) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Value); err != nil {
		return setting{}, fmt.Errorf("print %s: %w", v.Path, err)
	}
	s := setting{Path: v.Path, Value: bytes.TrimSpace(data.Bytes()), Origin: "built-in"}
	switch {
	case v.Line > 0:
		s.Origin, s.File, s.Line = "file", file, v.Line
	case cfg.Generator.Adapter != "exec" && (v.Path == "generator.command" || v.Path == "generator.resume"):
		s.Origin = "adapter"
	}
	return s, nil
}

func (a *app) origin(s setting) string {
	if s.Origin != "file" {
		return s.Origin
	}
	return fmt.Sprintf("%s:%d", a.short(s.File), s.Line)
}

// tabless keeps a value in its own column.
func tabless(text string) string { return strings.ReplaceAll(text, "\t", `\t`) }
