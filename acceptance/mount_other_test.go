//go:build unix && !linux

package acceptance

import "errors"

func mount(_, _ string) error { return errors.New("not known on this system") }

func unmount(string) error { return nil }
