package fsx

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
)

const tempPrefix = ".tmp-"

// IsTemp tells whether name is one that this package gives to files that are
// still being written.
func IsTemp(name string) bool {
	digits, ok := strings.CutPrefix(name, tempPrefix)
	if !ok || len(digits) != 16 {
		return false
	}
	_, err := hex.DecodeString(digits)
	return err == nil
}

func tempName() string { return fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64()) }

// createTemp makes an empty temporary file. Names are random, so that two
// writers in one directory never share one.
func (d *Dir) createTemp() (string, *os.File, error) {
	for {
		name := tempName()
		f, err := d.create(name, os.O_WRONLY)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return name, f, err
	}
}

// SweepTemps removes the temporary files that a dead process left in d and
// tells how many. Only the holder of the instance lock may call it; a writer
// without the lock whose file is swept gets fs.ErrNotExist and may write again.
func (d *Dir) SweepTemps() (int, error) {
	names, err := d.Names()
	if err != nil {
		return 0, err
	}
	swept := 0
	for _, name := range names {
		if !IsTemp(name) {
			continue
		}
		if err := d.unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return swept, fmt.Errorf("sweep %q: %w", d.join(name), err)
		}
		swept++
	}
	return swept, nil
}
