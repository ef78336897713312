package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/fsx"
)

var update = flag.Bool("update", false, "rewrite docs/commands.md")

// The reference of commands is made from the commands themselves.
func TestTheReferenceIsThatOfTheCommands(t *testing.T) {
	const file = "../../docs/commands.md"
	want := reference((&app{}).root())
	if *update {
		if err := fsx.Scratch(filepath.Dir(file)).WriteMode(filepath.Base(file), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/commands.md is not as the commands are: go test ./internal/cli -update (%v)", err)
	}
}

func reference(root *cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString("# Commands\n\nMade from the commands themselves by `go test ./internal/cli -update`.\n\n" + root.Long + "\n\n")
	fmt.Fprintf(&b, "Every command takes:\n\n```\n%s```\n", root.PersistentFlags().FlagUsages())
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.title, ":"))
		for _, name := range g.commands {
			for _, cmd := range root.Commands() {
				if cmd.Name() == name {
					describe(&b, cmd)
				}
			}
		}
	}
	b.WriteString("\n## Topics\n")
	for _, topic := range topics() {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n```\n%s\n```\n", topic.Name(), topic.Short, topic.Long)
	}
	return b.Bytes()
}

func describe(b *bytes.Buffer, cmd *cobra.Command) {
	if cmd.Hidden {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n```\n%s\n```\n\n", strings.TrimPrefix(cmd.CommandPath(), "looprun "), cmd.UseLine())
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	if strings.Contains(text, "\n\t") || strings.Contains(text, "    ") { // a text with examples
		text = "```\n" + text + "\n```"
	}
	b.WriteString(text + "\n")
	if flags := cmd.NonInheritedFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(b, "\n```\n%s```\n", flags)
	}
	for _, sub := range cmd.Commands() {
		describe(b, sub)
	}
}
