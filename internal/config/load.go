package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"looprun.dev/looprun/internal/task"
)

// An Option changes what Load accepts.
type Option func(*options)

type options struct{ anyOwner bool }

// AllowUnsafeFile accepts a file that another user owns or everyone may write.
func AllowUnsafeFile() Option { return func(o *options) { o.anyOwner = true } }

// Load reads loop.yaml from disk. What is wrong with the file is told as
// faults, a missing one too; an error means that it could not be read.
func Load(path string, opts ...Option) (Config, []task.Fault, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	data, fault, err := read(path, o)
	if err != nil {
		return Config{}, nil, fmt.Errorf("read %s: %w", path, err)
	}
	if fault.Code != "" {
		fault.File = path
		return Config{}, []task.Fault{fault}, nil
	}
	c, faults := Parse(path, data)
	return c, faults, nil
}

// read takes the file's bytes once, at most one more than Parse accepts.
func read(path string, o options) ([]byte, task.Fault, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, task.Fault{Code: task.CodeBadValue, Msg: "not a regular file"}, nil // a FIFO would block the open
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, task.Fault{Code: task.CodeMissingFile, Msg: "there is no such file: the least is\n\n" + Example}, nil
	}
	if err != nil {
		return nil, task.Fault{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, task.Fault{}, err
	}
	if why := unsafeFile(info); why != "" && !o.anyOwner {
		return nil, task.Fault{Code: task.CodeUnsafeFile, Msg: why}, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	return data, task.Fault{}, err
}
