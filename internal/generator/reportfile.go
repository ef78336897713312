package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// report reads the report and keeps a copy beside the logs, without secrets.
// The generator's own file loses them too.
func (s Start) report(try *round.Try, secrets []string) (*Report, []string) {
	data, missing, fault := s.readReport()
	if missing != "" {
		try.Report = round.File{Missing: missing}
		if fault {
			return nil, []string{"/: " + missing}
		}
		return nil, nil
	}
	data, found := redact(data, secrets)
	if found {
		_ = fsx.Scratch("").WriteFile(s.ReportPath, data) // the copy below is the record
	}
	name := s.log("report.json")
	if err := fsx.Scratch(s.LogDir).WriteFile(name, data); err != nil {
		try.Report = round.File{Missing: "could not be kept: " + err.Error()}
	} else {
		try.Report = s.fileOf(filepath.Join(s.LogDir, name), data)
	}
	r, faults := ParseReport(data)
	return &r, faults
}

// readReport says why there is no report; fault tells that this is no way to
// leave one.
func (s Start) readReport() (data []byte, missing string, fault bool) {
	dir, err := fsx.Open(filepath.Dir(s.ReportPath))
	if err != nil {
		return nil, "its folder is gone", false
	}
	defer dir.Close()
	data, err = dir.Read(filepath.Base(s.ReportPath), MaxReport)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "none was written", false
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, fmt.Sprintf("larger than %d bytes", MaxReport), true
	case err != nil:
		return nil, "not a readable file", true
	case len(bytes.TrimSpace(data)) == 0:
		return nil, "empty", true
	}
	return data, "", false
}
