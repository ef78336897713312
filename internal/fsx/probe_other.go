//go:build !linux && !darwin

package fsx

import (
	"math"
	"os"
)

func fsType(*os.File) (name string, network bool) { return "", false }

func mountOf(d *Dir) (mount, error) {
	info, err := d.Stat()
	if err != nil {
		return mount{}, err
	}
	return mount{device: device(info)}, nil
}

// Free is the number of bytes that may still be written under path. This
// system is not asked: the answer is no limit.
func Free(string) (int64, error) { return math.MaxInt64, nil }
