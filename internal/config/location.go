package config

import (
	"fmt"

	"looprun.dev/looprun/internal/task"
)

// A location is a path of the file that looprun or a child reads or writes.
type location struct{ setting, path string }

// paths records where two settings point at one another. It goes by the names
// alone; links are looked through where the folders are used.
func (d *decoder) paths(c Config) {
	own := []location{{"tasks/", c.Resolve("tasks")}, {".loop/", c.Resolve(".loop")}}
	control := append(own, location{FileName, c.Resolve(FileName)}, location{".git/", c.Resolve(".git")})
	trees := c.locations("workspace.dir", c.Workspace.Dir)
	hidden := c.hidden()
	checkout := location{"the checkout", c.Dir}
	for _, dir := range trees {
		d.apart(dir, append(own, checkout)...)
	}
	for _, h := range hidden {
		d.apart(h, append(trees, checkout)...)
		for _, dir := range trees {
			d.apart(dir, h)
		}
	}
	for _, dir := range c.locations("metrics.textfile_dir", c.Metrics.TextfileDir) {
		d.apart(dir, append(own, trees...)...)
	}
	for i, path := range c.Sandbox.Write {
		d.uncovered(location{fmt.Sprintf("sandbox.write[%d]", i), c.Resolve(path)}, append(control, hidden...))
	}
	for i, path := range c.Sandbox.Read {
		d.uncovered(location{fmt.Sprintf("sandbox.read[%d]", i), c.Resolve(path)}, hidden)
	}
}

func (c Config) locations(setting, path string) []location {
	if path == "" {
		return nil
	}
	return []location{{setting, c.Resolve(path)}}
}

func (c Config) hidden() []location {
	var out []location
	for _, name := range sortedKeys(c.Verification.Profiles) {
		for i, check := range c.Verification.Profiles[name] {
			out = append(out, c.locations(member(item(member("verification.profiles", name), i), "hidden"), check.Hidden)...)
		}
	}
	return out
}

// apart records that a folder is inside of another, or the same.
func (d *decoder) apart(a location, others ...location) {
	for _, b := range others {
		if inside(a.path, b.path) {
			d.add(a.setting, task.CodeConflict, "%q is inside %s (%s)", task.Clip(a.path), b.setting, task.Clip(b.path))
			return
		}
	}
}

// uncovered records that a child would get at what is not for it.
func (d *decoder) uncovered(a location, others []location) {
	for _, b := range others {
		if inside(a.path, b.path) || inside(b.path, a.path) {
			d.add(a.setting, task.CodeConflict, "%q would open %s (%s) to the generator", task.Clip(a.path), b.setting, task.Clip(b.path))
			return
		}
	}
}
