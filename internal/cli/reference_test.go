package cli

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The reference of commands is made from the commands themselves.
func TestTheReferenceIsThatOfTheCommands(t *testing.T) {
	got, err := os.ReadFile("../../docs/commands.md")
	if err != nil || !bytes.Equal(got, Reference()) {
		t.Errorf("docs/commands.md is not as the commands are: go run ./docs/reference (%v)", err)
	}
}

func TestEveryCommandAndTopicHasAManPage(t *testing.T) {
	pages := ManPages()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := pageName(cmd) + ".1"
		if cmd.IsAdditionalHelpTopicCommand() {
			name = pageName(cmd) + ".7"
		}
		page, ok := pages[name]
		if ok == cmd.Hidden || ok && !bytes.Contains(page, []byte(escaped(cmd.Short))) {
			t.Errorf("page of %q: there is %v; want one that tells what it is for", cmd.CommandPath(), ok)
		}
		delete(pages, name)
		if !cmd.Hidden {
			for _, sub := range cmd.Commands() {
				visit(sub)
			}
		}
	}
	visit((&app{}).root())
	for name := range pages {
		t.Errorf("%s is the page of nothing", name)
	}
}

var request = regexp.MustCompile(`(?m)^[.'](\w*)`)

func TestManPagesAreCleanForGroff(t *testing.T) {
	for name, page := range ManPages() {
		for _, m := range request.FindAllSubmatch(page, -1) {
			if !strings.Contains(" TH SH SS TP PP B I BR nf fi ", " "+string(m[1])+" ") {
				t.Errorf("%s: text became the request %q", name, m[0])
			}
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	for name, page := range ManPages() {
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
		cmd.Stdin = bytes.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("groff on %s: %v\n%s", name, err, out)
		}
	}
}

func TestEscapedTextIsTextToRoff(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a request":               {".loop/lock", `\&.loop/lock`},
		"a request further below": {"in\n'x'", "in\n\\&'x'"},
		"an escape":               {`C:\new`, `C:\enew`},
		"a flag":                  {"--json", `\-\-json`},
		"quotes":                  {`"!x"`, `\(dq!x\(dq`},
		"a full stop in a line":   {"a. b", "a. b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := escaped(c.text); got != c.want {
				t.Errorf("escaped(%q) = %q; want %q", c.text, got, c.want)
			}
		})
	}
}
