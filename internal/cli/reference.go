package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Reference is the page of all commands, flags and topics in Markdown, made
// from the commands themselves.
func Reference() []byte {
	root := (&app{}).root()
	var b bytes.Buffer
	b.WriteString("# Commands\n\nMade from the commands themselves by `go run ./docs/reference`; with `-man DIR` it writes them\nas man pages, for packages.\n\n" + root.Long + "\n\n")
	fmt.Fprintf(&b, "Every command takes:\n\n```\n%s```\n", root.PersistentFlags().FlagUsages())
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.title, ":"))
		for _, cmd := range g.of(root) {
			describe(&b, cmd)
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
	text := about(cmd)
	if laidOut(text) {
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

// about is what help tells of a command.
func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// laidOut reports a text with examples or columns, whose lines must stay as
// they are.
func laidOut(text string) bool {
	return strings.Contains(text, "\n\t") || strings.Contains(text, "    ")
}
