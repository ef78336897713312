package web

import (
	"bytes"
	"strconv"
	"strings"
)

// A changedFile is one file of a patch.
type changedFile struct {
	Name           string
	Notes          []string // what git says of it beside its lines
	Hunks          []hunk
	Added, Deleted int
	Cut            int // lines that are not shown
}

// A hunk is a run of lines of a changed file.
type hunk struct {
	Head  string
	Lines []diffLine
}

// A diffLine is a line of a hunk with its numbers before and after; 0: it is
// not there on that side.
type diffLine struct {
	Old, New int
	Sign     string // "+", "-", " " or "\"
	Text     string
}

// Class is the class of a line, which its sign says too.
func (l diffLine) Class() string {
	return map[string]string{"+": "added", "-": "deleted"}[l.Sign]
}

// Bounds of what a page shows of a patch. The patch itself is whole.
const (
	maxFiles     = 300
	maxFileLines = 3000
	maxPatch     = 16 << 20
)

// parsePatch reads a patch as git writes it. What it does not understand is a
// note: nothing of a patch is left out silently.
func parsePatch(data []byte) (files []changedFile, left int) {
	var p patchParser
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		p.line(strings.ToValidUTF8(string(line), "\uFFFD"))
		data = rest
	}
	return p.files[:min(len(p.files), maxFiles)], max(0, len(p.files)-maxFiles)
}

type patchParser struct {
	files        []changedFile
	old, new     int // numbers of the next line
	oldLeft      int // lines that the hunk still has
	newLeft      int
	shown        int // of the file
	insideBinary bool
}

func (p *patchParser) line(text string) {
	switch {
	case p.oldLeft > 0 || p.newLeft > 0:
		p.inHunk(text)
	case strings.HasPrefix(text, "diff --git "):
		p.files = append(p.files, changedFile{Name: patchName(text)})
		p.shown, p.insideBinary = 0, false
	case len(p.files) == 0:
		p.files = append(p.files, changedFile{Notes: []string{text}})
	case strings.HasPrefix(text, "@@ "):
		p.open(text)
	case strings.HasPrefix(text, `\`):
		p.add(diffLine{Sign: `\`, Text: strings.TrimPrefix(text, `\ `)})
	default:
		p.note(text)
	}
}

// note keeps what stands before the lines of a file. Of a binary change only
// that it is one.
func (p *patchParser) note(text string) {
	f := &p.files[len(p.files)-1]
	switch {
	case text == "" || p.insideBinary:
	case strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "index "):
	case strings.HasPrefix(text, "+++ "):
		if name := strings.TrimPrefix(text, "+++ "); name != "/dev/null" {
			f.Name = unquote(name, "b/")
		}
	case strings.HasPrefix(text, "GIT binary patch"):
		f.Notes, p.insideBinary = append(f.Notes, "binary"), true
	case len(f.Notes) < 20:
		f.Notes = append(f.Notes, text)
	}
}

// open begins a hunk as "@@ -3,7 +3,8 @@ where" says.
func (p *patchParser) open(text string) {
	f := &p.files[len(p.files)-1]
	parts := strings.SplitN(text, " ", 5)
	if len(parts) < 4 {
		p.note(text)
		return
	}
	p.old, p.oldLeft = spanOf(parts[1], "-")
	p.new, p.newLeft = spanOf(parts[2], "+")
	f.Hunks = append(f.Hunks, hunk{Head: text})
}

func spanOf(text, sign string) (from, n int) {
	start, length, found := strings.Cut(strings.TrimPrefix(text, sign), ",")
	from, _ = strconv.Atoi(start)
	n = 1
	if found {
		n, _ = strconv.Atoi(length)
	}
	return max(0, from), max(0, n)
}

func (p *patchParser) inHunk(text string) {
	f := &p.files[len(p.files)-1]
	l := diffLine{Sign: " "}
	if text != "" {
		l.Sign, l.Text = text[:1], text[1:]
	}
	switch l.Sign {
	case "+":
		l.New = p.new
		f.Added, p.new, p.newLeft = f.Added+1, p.new+1, p.newLeft-1
	case "-":
		l.Old = p.old
		f.Deleted, p.old, p.oldLeft = f.Deleted+1, p.old+1, p.oldLeft-1
	case `\`:
		l.Text = strings.TrimPrefix(text, `\ `)
	default:
		l.Old, l.New = p.old, p.new
		p.old, p.new, p.oldLeft, p.newLeft = p.old+1, p.new+1, p.oldLeft-1, p.newLeft-1
	}
	p.add(l)
}

func (p *patchParser) add(l diffLine) {
	f := &p.files[len(p.files)-1]
	if p.shown++; p.shown > maxFileLines || len(f.Hunks) == 0 {
		f.Cut++
		return
	}
	h := &f.Hunks[len(f.Hunks)-1]
	h.Lines = append(h.Lines, l)
}

// patchName is the name in "diff --git a/x b/x", where both are the same.
func patchName(text string) string {
	text = strings.TrimPrefix(text, "diff --git ")
	if strings.HasPrefix(text, `"`) {
		if end := strings.Index(text, `" `); end > 0 {
			return unquote(text[:end+1], "a/")
		}
	}
	return unquote(text[:len(text)/2], "a/")
}

// unquote is a name as git writes it: in quotes where it has odd characters.
func unquote(name, side string) string {
	name = strings.TrimSuffix(name, "\t")
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		name = plain
	}
	return strings.TrimPrefix(name, side)
}
