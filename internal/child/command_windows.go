package child

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/windows"
)

const slashes = `/\:`

const (
	errNoExec = windows.ERROR_BAD_EXE_FORMAT
	errBusy   = windows.ERROR_SHARING_VIOLATION
)

// suffixes make a file a program.
var suffixes = []string{".exe", ".com", ".cmd", ".bat"}

// executable returns the path with its suffix, or the code for why it cannot
// be started.
func executable(path string) (string, int) {
	if slices.Contains(suffixes, strings.ToLower(filepath.Ext(path))) {
		return path, isFile(path)
	}
	for _, s := range suffixes {
		if isFile(path+s) == 0 {
			return path + s, 0
		}
	}
	return "", max(isFile(path), codeNotExecutable)
}

// isFile returns 0 for a file, else the code of a command that is none.
func isFile(path string) int {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return codeNotFound
	case info.IsDir():
		return codeNotExecutable
	}
	return 0
}

// signalOf is always "": Windows has no signals.
func signalOf(*os.ProcessState) string { return "" }
