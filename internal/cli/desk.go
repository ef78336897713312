package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/screen"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/web"
)

// A desk does for the pages what a person does with commands. Each call is the
// command itself, with its output kept, so that pages and terminal never differ.
type desk struct {
	*app
	ctx   context.Context // of the server: an action outlives the page that asked
	tasks string

	acting sync.Mutex // two answers at once must not take the same new id
}

// said runs a command as with --json and keeps what it prints.
func (d *desk) said(stdin []byte, command func(*app) error) web.Said {
	var out, faults bytes.Buffer
	there := *d.app
	there.stdin, there.raw = bytes.NewReader(stdin), &out
	there.stdout, there.stderr = terminal{&out}, terminal{&faults}
	there.json, there.running, there.faultsAsJSON = true, true, false
	err := command(&there)
	if err != nil && err.Error() != "" {
		there.complain(err)
	}
	return web.Said{Out: out.Bytes(), Faults: faults.Bytes(), Kind: kindOf(err)}
}

func (d *desk) act(stdin []byte, command func(*app) error) web.Said {
	d.acting.Lock()
	defer d.acting.Unlock()
	return d.said(stdin, command)
}

// kindOf is how a page tells the end of a command. Commands that tell how a
// task ended by their exit code did what they were asked.
func kindOf(err error) web.Kind {
	switch exitCode(err) {
	case exitOK, exitBlocked, exitInput:
		return web.OK
	case exitNoTask:
		return web.Missing
	case exitUsage, exitBadTask, exitConfig, exitNotNow, exitHeld:
		return web.Refused
	}
	return web.Failed
}

// Status implements web.Desk.
func (d *desk) Status() web.Said { return d.said(nil, (*app).status) }

// Show implements web.Desk.
func (d *desk) Show(id string) web.Said {
	return d.said(nil, func(a *app) error { return a.show(id) })
}

// Add implements web.Desk.
func (d *desk) Add(data []byte) web.Said {
	return d.act(data, func(a *app) error { return a.add("-") })
}

// Answer implements web.Desk.
func (d *desk) Answer(id, text string, approve bool) web.Said {
	if len(text) > maxAnswer {
		return web.Said{Kind: web.Refused, Faults: []byte("the answer is larger than 1 MiB")}
	}
	return d.act(nil, func(a *app) error { return a.answer(id, strings.TrimSpace(text), approve) })
}

// Retry implements web.Desk.
func (d *desk) Retry(id string, rounds int, cost string) web.Said {
	return d.act(nil, func(a *app) error { return a.retry(id, rounds, cost) })
}

// Cancel implements web.Desk. The task is ended here where no instance runs.
func (d *desk) Cancel(_ context.Context, id string) web.Said {
	return d.act(nil, func(a *app) error { return a.cancel(d.ctx, id) })
}

// Pause implements web.Desk.
func (d *desk) Pause(reason, until string) web.Said {
	return d.act(nil, func(a *app) error {
		m := moment{now: a.now}
		if until != "" {
			if err := m.Set(until); err != nil {
				return withCode(exitUsage, err)
			}
		}
		return a.pause(record.Pause{Since: a.now().UTC(), Until: m.time.UTC(), Reason: reason})
	})
}

// Resume implements web.Desk.
func (d *desk) Resume() web.Said { return d.act(nil, (*app).resume) }

// Files implements web.Desk.
func (d *desk) Files(stage task.Stage) ([]web.File, error) {
	look, err := d.look()
	if err != nil {
		return nil, err
	}
	defer look.close()
	cards, err := look.queue.List(stage)
	files := make([]web.File, len(cards))
	for i, c := range cards {
		files[i] = web.File{Name: c.Name, ID: c.ID(), Quarantined: c.Quarantined}
	}
	return files, err
}

// Moved implements web.Desk.
func (d *desk) Moved(stage task.Stage, name string) int64 {
	info, err := os.Lstat(filepath.Join(d.tasks, string(stage), name))
	if err != nil {
		return 0
	}
	return changed(info)
}

// Read implements web.Desk.
func (d *desk) Read(stage task.Stage, name string) ([]byte, error) {
	if name == "" || filepath.Base(name) != name {
		return nil, errors.New("no name of a file")
	}
	path := filepath.Join(d.tasks, string(stage), name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > task.MaxBytes {
		return nil, errors.Join(err, errors.New("no task file"))
	}
	return os.ReadFile(path)
}

// Faults implements web.Desk.
func (d *desk) Faults(name string) ([]task.Fault, string, error) {
	look, err := d.look()
	if err != nil {
		return nil, "", err
	}
	defer look.close()
	reason, err := look.queue.Reason(name)
	return reason.Faults, screen.Plain(reason.Hint), err
}
