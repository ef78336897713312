package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ManPages are the man pages of looprun, by file name: looprun.1, one of each
// command in section 1, and the topics of help in section 7. They bear no date
// and no version, so that the same commands make the same pages.
func ManPages() map[string][]byte {
	root := (&app{}).root()
	pages := map[string][]byte{"looprun.1": overview(root)}
	commandPages(pages, root)
	for _, topic := range topics() {
		var p roff
		p.title(topic, 7)
		p.section("DESCRIPTION")
		p.laidOut(topic.Long)
		p.section("SEE ALSO")
		p.line(`.BR looprun (1)`)
		pages[pageName(topic)+".7"] = p.Bytes()
	}
	return pages
}

// overview is the page of looprun itself.
func overview(root *cobra.Command) []byte {
	var p roff
	p.title(root, 1)
	p.section("SYNOPSIS")
	p.line(`.B looprun`)
	p.line(`.I COMMAND`)
	p.line(`[\fIARGUMENT\fR...] [\fIFLAG\fR...]`)
	p.section("DESCRIPTION")
	p.prose(root.Long)
	p.section("COMMANDS")
	for _, g := range groups {
		p.line(`.SS "` + escaped(strings.TrimSuffix(g.title, ":")) + `"`)
		for _, cmd := range g.of(root) {
			p.item(`\fB`+escaped(cmd.Name())+`\fR`, cmd.Short+".")
		}
	}
	p.section("OPTIONS")
	p.line("Every command takes:")
	p.flags(root.PersistentFlags())
	p.section("EXIT STATUS")
	p.laidOut(exitTopic)
	p.section("SEE ALSO")
	for _, topic := range topics() {
		p.line(`.BR ` + escaped(pageName(topic)) + ` (7)`)
	}
	return p.Bytes()
}

// commandPages adds a page for every command below cmd.
func commandPages(pages map[string][]byte, cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.Hidden || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		pages[pageName(sub)+".1"] = commandPage(sub)
		commandPages(pages, sub)
	}
}

func commandPage(cmd *cobra.Command) []byte {
	var p roff
	p.title(cmd, 1)
	p.section("SYNOPSIS")
	p.line(`.B ` + escaped(cmd.UseLine()))
	p.section("DESCRIPTION")
	if text := about(cmd); laidOut(text) {
		p.laidOut(text)
	} else {
		p.prose(text)
	}
	if own := cmd.NonInheritedFlags(); own.HasAvailableFlags() {
		p.section("OPTIONS")
		p.flags(own)
	}
	p.section("SEE ALSO")
	p.line(`.BR ` + escaped(pageName(cmd.Parent())) + ` (1)`)
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			p.line(`.BR ` + escaped(pageName(sub)) + ` (1)`)
		}
	}
	return p.Bytes()
}

// pageName is looprun-config-dump for "looprun config dump".
func pageName(cmd *cobra.Command) string {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if cmd.Root().Name() != "looprun" { // a topic stands alone
		name = "looprun-" + name
	}
	return name
}

// A roff is a man page as it is written.
type roff struct{ bytes.Buffer }

func (p *roff) line(text string) { p.WriteString(text + "\n") }

func (p *roff) section(name string) { p.line(".SH " + name) }

func (p *roff) title(cmd *cobra.Command, section int) {
	name := pageName(cmd)
	p.line(fmt.Sprintf(`.TH "%s" "%d" "" "looprun" "looprun"`, escaped(strings.ToUpper(name)), section))
	p.section("NAME")
	p.line(escaped(name) + ` \- ` + escaped(cmd.Short))
}

// prose writes paragraphs, which the reader's terminal fills.
func (p *roff) prose(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		p.line(escaped(paragraph))
	}
}

// laidOut writes lines that stay as they are.
func (p *roff) laidOut(text string) {
	p.line(".nf")
	p.line(escaped(strings.Trim(text, "\n")))
	p.line(".fi")
}

func (p *roff) item(tag, text string) {
	p.line(".TP")
	p.line(tag)
	p.line(escaped(text))
}

func (p *roff) flags(all *pflag.FlagSet) {
	all.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, usage := pflag.UnquoteUsage(f)
		tag := `\fB` + escaped("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			tag = `\fB` + escaped("-"+f.Shorthand) + `\fR, ` + tag
		}
		if word != "" {
			tag += ` \fI` + escaped(word) + `\fR`
		}
		p.item(tag, usage)
	})
}

// escaped is text in which roff finds no request and no escape, and in which
// hyphens stay what one can copy into a shell.
func escaped(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
