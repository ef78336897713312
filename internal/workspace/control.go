package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"looprun.dev/looprun/internal/fsx"
)

// A control is the bare git directory that looprun alone writes. It borrows
// the user's objects and keeps its own, holds the few settings of the user
// that change what a file's bytes are, and nothing that names a program.
type control struct {
	dir     string // ctl.git
	count   string // a second git directory, whose attributes make every file text
	objects string // ctl.git/objects
	repo    *repo
	seams   []fsx.Seam
}

// control directories are shared by the slots of one process.
var controlMu sync.Mutex

// openControl makes the control directory, or brings it up to date with the
// user's settings. Every file is compared and rewritten by rename, so that it
// does not matter how far a dead process came.
func openControl(key string, r *repo, seam fsx.Seam) (*control, error) {
	controlMu.Lock()
	defer controlMu.Unlock()
	c := &control{dir: filepath.Join(key, "ctl.git"), count: filepath.Join(key, "count.git"), repo: r}
	c.objects = filepath.Join(c.dir, "objects")
	if seam != nil {
		c.seams = []fsx.Seam{seam}
	}
	if err := c.write(c.dir, c.files()); err != nil {
		return nil, err
	}
	return c, c.write(c.count, c.countFiles())
}

// files are all files of the control directory by their paths in it.
func (c *control) files() map[string]string {
	return map[string]string{
		"HEAD":                    "ref: refs/heads/none\n",
		"config":                  c.config(),
		"refs/keep":               "",
		"objects/pack/keep":       "",
		"objects/info/alternates": alternates(c.repo.objects),
		"info/exclude":            c.exclude(),
		"info/attributes":         userFile(filepath.Join(c.repo.common, "info", "attributes")),
		"shallow":                 string(c.repo.shallow),
	}
}

// countFiles make a git directory in which the generator's attributes cannot
// hide a change: it has no work tree to read .gitattributes from, and its own
// attributes say that everything is text.
func (c *control) countFiles() map[string]string {
	return map[string]string{
		"HEAD":                    "ref: refs/heads/none\n",
		"config":                  "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
		"refs/keep":               "",
		"objects/info/alternates": alternates(append([]string{c.objects}, c.repo.objects...)),
		"info/attributes":         "* diff !filter !text !eol !ident !working-tree-encoding\n",
	}
}

// write brings dir to the state of files. A file without content is absent,
// but for the ones that keep a directory.
func (c *control) write(dir string, files map[string]string) error {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if err := c.put(filepath.Join(dir, filepath.FromSlash(n)), files[n]); err != nil {
			return fmt.Errorf("write control directory: %w", err)
		}
	}
	return nil
}

func (c *control) put(file, content string) error {
	if have, err := readSmall(file, 64<<20); err == nil && string(have) == content {
		return nil
	}
	d, err := fsx.MkdirAll(filepath.Dir(file), c.seams...)
	if err != nil {
		return err
	}
	defer d.Close()
	name := filepath.Base(file)
	if content == "" {
		if name == "keep" {
			return nil // only its directory is wanted
		}
		if err := d.Remove(name); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	return d.View(name, []byte(content))
}

// allowed are the settings that decide what a file's bytes and mode are in the
// tree. Each is a plain value; none names a program.
var allowed = []string{
	"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase",
	"core.precomposeunicode", "core.protecthfs", "core.protectntfs", "core.bigfilethreshold",
	"core.checkroundtripencoding", "core.longpaths",
}

// config renders the settings that are taken over. Filter drivers are programs:
// only LFS, and only as the user's own files outside the repository define it.
func (c *control) config() string {
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogallrefupdates = false\n")
	for _, key := range allowed {
		if v := c.repo.value(key); v != "" {
			fmt.Fprintf(&b, "\t%s = %s\n", strings.TrimPrefix(key, "core."), quoted(v))
		}
	}
	lfs := false
	for _, s := range c.repo.config {
		if s.scope != "global" && s.scope != "system" {
			continue
		}
		name, ok := strings.CutPrefix(s.key, "filter.lfs.")
		if !ok || !slices.Contains([]string{"clean", "smudge", "process", "required"}, name) {
			continue
		}
		if !lfs {
			b.WriteString("[filter \"lfs\"]\n")
		}
		lfs = true
		fmt.Fprintf(&b, "\t%s = %s\n", name, quoted(s.value))
	}
	if lfs {
		fmt.Fprintf(&b, "[lfs]\n\tstorage = %s\n", quoted(filepath.Join(c.repo.common, "lfs")))
	}
	return b.String()
}

// exclude joins the user's ignore files in git's order: the last match wins.
func (c *control) exclude() string {
	var b strings.Builder
	for _, file := range []string{c.repo.excludesFile(os.Getenv), filepath.Join(c.repo.common, "info", "exclude")} {
		if text := userFile(file); text != "" {
			b.WriteString(strings.TrimRight(text, "\n") + "\n")
		}
	}
	return b.String()
}

// excludesFile is where the user's own ignore rules stand.
func (r *repo) excludesFile(getenv func(string) string) string {
	file := r.value("core.excludesfile")
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		return filepath.Join(getenv("HOME"), rest)
	}
	if file != "" {
		return absFrom(r.top, file)
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "git", "ignore")
	}
	return filepath.Join(getenv("HOME"), ".config", "git", "ignore")
}

// userFile is a small file of the user's, "" where there is none to read.
func userFile(file string) string {
	b, err := readSmall(file, 1<<20)
	if err != nil {
		return ""
	}
	return string(b)
}

// alternates lists object directories, one a line; odd names are quoted as
// git wants them.
func alternates(dirs []string) string {
	var b strings.Builder
	for _, d := range dirs {
		if strings.ContainsAny(d, "\n\"\\") || strings.HasPrefix(d, "#") {
			d = quoted(d)
		}
		b.WriteString(d + "\n")
	}
	return b.String()
}

// quoted writes a value for a config or alternates file.
func quoted(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(v) + `"`
}

// bare calls git without a work tree.
func (c *control) bare(args ...string) call { return call{gitDir: c.dir, args: args} }
