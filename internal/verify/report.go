package verify

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

// maxReport is the size over which a report is not read.
const maxReport = 32 << 20

// A report is the machine-readable file that a check was told to write, none
// where its name is empty.
type report struct {
	dir, name string
}

func reportOf(dir, name string) report { return report{dir: dir, name: filepath.FromSlash(name)} }

// clear removes an old report: that of the run before would tell its failures
// once more.
func (r report) clear() error {
	if r.name == "" || !filepath.IsLocal(r.name) {
		return nil
	}
	d, err := fsx.Open(r.folder())
	if err != nil {
		return nil // no folder, no report
	}
	defer d.Close()
	if err := d.Remove(filepath.Base(r.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (r report) folder() string { return filepath.Join(r.dir, filepath.Dir(r.name)) }

// read gives the report of a run that began at begun. Where there is none to
// be trusted it says why, and the text of the check has to do.
func (r report) read(begun time.Time) (document []byte, note string) {
	if r.name == "" {
		return nil, ""
	}
	folder, err := inside(r.dir, filepath.ToSlash(filepath.Dir(r.name)))
	if err != nil {
		return nil, "the report is missing"
	}
	d, err := fsx.Open(folder)
	if err != nil {
		return nil, "the report is missing"
	}
	defer d.Close()
	name := filepath.Base(r.name)
	info, err := d.Lstat(name)
	switch {
	case err != nil:
		return nil, "the report is missing"
	// File systems keep times as coarse as a second or two.
	case info.ModTime().Before(begun.Add(-2 * time.Second)):
		return nil, "the report is older than the run"
	}
	document, err = d.Read(name, maxReport)
	switch {
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, "the report is too large"
	case err != nil:
		return nil, "the report cannot be read"
	}
	return document, ""
}
