package record

import (
	"errors"
	"fmt"
	"io/fs"

	"looprun.dev/looprun/internal/fsx"
)

// JournalFile is the name of a journal in its task's directory.
const JournalFile = journalFile

// Rescue writes the journal as it was recorded, after its file was changed by
// somebody else or taken away. What stands in its place is kept beside it under
// the name that is returned, "" where that is nothing or no file. A crash on the
// way leaves one or the other.
func (j *Journal) Rescue() (kept string, err error) {
	data, err := j.encode()
	if err == nil {
		err = j.stand()
	}
	if err != nil {
		return "", fmt.Errorf("rescue journal of %s: %w", j.ID, err)
	}
	forged, err := j.dir.Read(journalFile, maxJournal)
	switch {
	case err == nil:
		kept = aside(j.dir, journalFile+".tampered")
		err = j.dir.Create(kept, forged)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	default: // nothing that could be kept
		err = j.clear()
	}
	if err == nil {
		err = j.dir.Replace(journalFile, data)
	}
	if err == nil {
		err = j.log.Close()
	}
	if err == nil {
		j.log, err = j.dir.Append(journalFile)
	}
	if err != nil {
		return kept, fmt.Errorf("rescue journal of %s: %w", j.ID, err)
	}
	return kept, nil
}

// encode is the whole journal as it was written, line by line.
func (j *Journal) encode() ([]byte, error) {
	var data []byte
	head := ""
	for _, l := range j.lines {
		raw, err := l.encode()
		if err != nil {
			return nil, err
		}
		data, head = append(data, raw...), Digest(raw[:len(raw)-1])
	}
	if head != j.head {
		return nil, errors.New("it can't be written as it was")
	}
	return data, nil
}

// stand opens the task's directory anew: the one that was open may be gone, and
// another in its place.
func (j *Journal) stand() error {
	if err := j.store.tasks.Mkdir(j.ID); err != nil {
		return err
	}
	dir, err := j.store.tasks.Sub(j.ID)
	if err != nil {
		return err
	}
	gone := j.dir
	j.dir = dir
	return gone.Close()
}

// clear takes away a folder that stands where the journal was. Anything else is
// replaced.
func (j *Journal) clear() error {
	if info, err := j.dir.Lstat(journalFile); err != nil || !info.IsDir() {
		return err
	}
	return fsx.Scratch(j.dir.Path()).RemoveAll(journalFile)
}
