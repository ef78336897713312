//go:build !linux

package fsx

import (
	"errors"
	"os"
)

func clone(_, _ *os.File) error { return errors.ErrUnsupported }
