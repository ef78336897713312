package child

import (
	"fmt"
	"os"
)

// A feeder gives a child its stdin.
type feeder struct {
	theirs, ours *os.File
	data         []byte
}

func newFeeder(data []byte) (*feeder, error) {
	if len(data) == 0 {
		null, err := os.Open(os.DevNull)
		return &feeder{theirs: null}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe for stdin: %w", err)
	}
	return &feeder{theirs: r, ours: w, data: data}, nil
}

func (f *feeder) discard() {
	f.theirs.Close()
	f.stop()
}

// begin writes in the background. A child that stops reading is within its
// rights, so that no error of the pipe counts.
func (f *feeder) begin() {
	f.theirs.Close()
	if f.ours != nil {
		go func() {
			f.ours.Write(f.data)
			f.ours.Close()
		}()
	}
}

// stop ends a write that nobody reads.
func (f *feeder) stop() {
	if f.ours != nil {
		f.ours.Close()
	}
}
