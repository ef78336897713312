package workspace

import (
	"fmt"
	"path/filepath"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// agentBranch is the branch that the generator's own git is on.
const agentBranch = "refs/heads/work"

// plantGit puts a throw-away .git into a tree: the history of commit on one
// branch, objects borrowed, no remote, no hook. Nothing in it is ever read
// back but, as a note, its HEAD.
func (s *Space) plantGit(t *tree, commit string) error {
	root := fsx.Scratch(filepath.Join(t.dir, ".git"))
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := root.MkdirAll(dir); err != nil {
			return fmt.Errorf("make .git: %w", err)
		}
	}
	files := map[string]string{
		"HEAD":                    "ref: " + agentBranch + "\n",
		agentBranch:               commit + "\n",
		"config":                  s.agentConfig(),
		"objects/info/alternates": alternates(append([]string{s.ctl.objects}, s.repo.objects...)),
		"info/exclude":            s.ctl.exclude(),
		"info/attributes":         userFile(filepath.Join(s.repo.common, "info", "attributes")),
	}
	if len(s.repo.shallow) > 0 {
		files["shallow"] = string(s.repo.shallow)
	}
	for name, text := range files {
		if err := root.WriteFile(name, []byte(text)); err != nil {
			return fmt.Errorf("make .git: %w", err)
		}
	}
	if err := root.CopyFile(t.index, "index"); err != nil {
		return fmt.Errorf("make .git: %w", err)
	}
	return nil
}

// agentConfig lets the generator commit under the user's name.
func (s *Space) agentConfig() string {
	config := strings.Replace(s.ctl.config(), "bare = true", "bare = false", 1)
	for _, key := range []string{"name", "email"} {
		v := s.repo.value("user." + key)
		if v == "" {
			v = map[string]string{"name": authorName, "email": authorEmail}[key]
		}
		config += "[user]\n\t" + key + " = " + quoted(v) + "\n"
	}
	return config
}

// agentHead notes what the generator's HEAD says, if it is a plain file.
func (s *Space) agentHead() string {
	dot := filepath.Join(s.work.dir, ".git")
	if st, err := lstat(dot); s.opts.InPlace || err != nil || st.kind() != kindDir {
		return "" // opening what is no directory could wait for ever
	}
	d, err := fsx.Open(dot)
	if err != nil {
		return ""
	}
	defer d.Close()
	b, err := d.Read("HEAD", 4096)
	if err != nil {
		return ""
	}
	return oneLine(string(b))
}
