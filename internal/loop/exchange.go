package loop

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// exchange is the folder through which a task and its generator talk. It lies
// outside .loop, since the generator writes into it, and lives as long as the
// task: the effects file in it outlasts a crash.
func (h *host) exchange() string {
	return filepath.Join(h.stateDir(), "exchange", h.journal.ID)
}

const (
	effectsFile = "effects.jsonl"
	maxEffects  = 4 << 20
)

// effects are the lines that were appended to the effects file since the try
// before. A task without operations has none.
func (h *host) effects(s round.State) round.Effects {
	if len(s.Task.Operations) == 0 {
		return round.Effects{}
	}
	seen := 0
	for _, r := range s.Rounds {
		for _, p := range r.Tries {
			seen += len(p.Try.Effects.Lines)
		}
	}
	data, err := h.readEffects()
	switch {
	case errors.Is(err, fs.ErrNotExist) && seen == 0:
		return round.Effects{}
	case errors.Is(err, fsx.ErrTooLarge):
		return round.Effects{Torn: "larger than 4 MiB"}
	case err != nil:
		return round.Effects{Torn: "missing"}
	}
	return effectsSince(data, seen)
}

// readEffects opens no link and no pipe that a generator put in the place of
// the file: the one would lead out of its reach, the other would never end.
func (h *host) readEffects() ([]byte, error) {
	dir, err := fsx.Open(h.exchange())
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Read(effectsFile, maxEffects)
}

// effectsSince reads an effects file of which seen lines are known. A line
// that is no JSON object is as good as a torn one.
func effectsSince(data []byte, seen int) round.Effects {
	var e round.Effects
	if len(data) > 0 && data[len(data)-1] != '\n' {
		e.Torn = "its last line is torn"
	}
	lines := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
	if len(data) == 0 {
		lines = nil
	}
	if len(lines) < seen {
		return round.Effects{Torn: "shorter than before"}
	}
	for _, raw := range lines[seen:] {
		var line round.EffectLine
		if json.Unmarshal(raw, &line) != nil {
			e.Torn = "a line is no JSON object"
			continue
		}
		e.Lines = append(e.Lines, line)
	}
	return e
}

// endExchange takes the folder away. What was said there of effects outside is
// kept with the records.
func (h *host) endExchange() error {
	data, err := h.readEffects()
	if err == nil {
		_, err = h.keepFile(effectsFile, data)
	}
	none := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsx.ErrNotRegular) || errors.Is(err, fsx.ErrTooLarge)
	if err != nil && !none {
		return fmt.Errorf("keep the effects file: %w", err)
	}
	return fsx.Scratch(h.exchange()).RemoveAll("")
}

// A run is a child that must not outlive looprun unseen. It is noted where the
// next start finds it.
type run struct {
	RunID string     `json:"run_id"`
	Proc  child.Proc `json:"proc"`
}

// The note, and what it is written to first.
const (
	runFile  = "run.json"
	runDraft = "run.json.new"
)

// noteRun keeps what is needed to end a child should looprun die. It need not
// outlast a power cut, which ends the child too.
func (h *host) noteRun(id string, p child.Proc) {
	if err := h.writeRun(id, p); err != nil {
		h.warn("%v: should looprun be killed now, end pid %d yourself", err, p.PID)
	}
}

// writeRun writes the note whole or not at all: a start that finds half of one
// could not end what runs.
func (h *host) writeRun(id string, p child.Proc) error {
	data, err := json.Marshal(run{RunID: id, Proc: p})
	dir := fsx.Scratch(h.journal.Dir())
	if err == nil {
		err = dir.WriteFile(runDraft, append(data, '\n'))
	}
	if err == nil {
		err = dir.Rename(runDraft, runFile)
	}
	if err != nil {
		return fmt.Errorf("note the process of %s: %w", h.journal.ID, err)
	}
	return nil
}

// forgetRun takes the note back: nothing of the run is alive any more.
func (h *host) forgetRun() error {
	return fsx.Scratch(h.journal.Dir()).RemoveAll(runFile)
}

// lastChange is when a file in the tree last changed.
func lastChange(dir string) time.Time {
	var last time.Time
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it vanished: a change, but without a time
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last
}

func randomHex() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// enumerate lists names for a message, the first few of many.
func enumerate(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
