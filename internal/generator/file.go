package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/round"
)

// fileOf describes a file whose bytes are at hand.
func (s Start) fileOf(path string, data []byte) round.File {
	sum := sha256.Sum256(data)
	return s.file(path, hex.EncodeToString(sum[:]), int64(len(data)))
}

// logOf describes a raw log.
func (s Start) logOf(path string, ran child.Result, stream child.Stream) round.File {
	if ran.NotFound {
		return round.File{Missing: "the command did not run"}
	}
	return s.file(path, stream.SHA256, stream.Bytes)
}

func (s Start) file(path, sum string, n int64) round.File {
	rel, err := filepath.Rel(s.TaskDir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return round.File{Missing: "outside of the task's records"}
	}
	return round.File{Path: filepath.ToSlash(rel), SHA256: sum, Bytes: n}
}
