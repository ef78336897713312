package workspace

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

// An indexed is one entry of a git index: what the file is in the commit and
// what it looked like when git last wrote or read it.
type indexed struct {
	path         string
	mode         uint32 // 100644, 100755, 120000, 160000
	id           [20]byte
	size         uint32
	inode        uint32
	mtime, ctime int64
}

var errIndex = errors.New("damaged index")

// readIndex reads one of the indexes of this package, which are of version 2
// or 3. It is read here because a process for it costs more than the reading.
func readIndex(file string) ([]indexed, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	entries, err := parseIndex(b)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", file, err)
	}
	return entries, nil
}

func parseIndex(b []byte) ([]indexed, error) {
	if len(b) < 32 || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	body := b[:len(b)-20]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], b[len(b)-20:]) {
		return nil, errIndex
	}
	if v := binary.BigEndian.Uint32(b[4:]); v != 2 && v != 3 {
		return nil, fmt.Errorf("index version %d: %w", v, errIndex)
	}
	n := binary.BigEndian.Uint32(b[8:])
	if int64(n) > int64(len(body))/62 {
		return nil, errIndex
	}
	entries := make([]indexed, 0, n)
	for body = body[12:]; n > 0; n-- {
		e, size, err := parseIndexed(body)
		if err != nil {
			return nil, err
		}
		entries, body = append(entries, e), body[size:]
	}
	return entries, nil
}

// parseIndexed reads the entry at the start of b and tells its length.
func parseIndexed(b []byte) (indexed, int, error) {
	if len(b) < 64 {
		return indexed{}, 0, errIndex
	}
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[i:]) }
	nano := func(i int) int64 { return int64(word(i))*1e9 + int64(word(i+4)) }
	e := indexed{
		ctime: nano(0), mtime: nano(8), inode: word(20), mode: word(24), size: word(36), id: [20]byte(b[40:60]),
	}
	head := 62
	if b[60]&0x40 != 0 { // extended flags
		head = 64
	}
	end := bytes.IndexByte(b[head:], 0)
	if end <= 0 {
		return indexed{}, 0, errIndex
	}
	e.path = string(b[head : head+end])
	size := (head + end + 8) &^ 7
	if size > len(b) || strings.HasPrefix(e.path, "/") {
		return indexed{}, 0, errIndex
	}
	return e, size, nil
}

func (e indexed) oid() string { return hex.EncodeToString(e.id[:]) }

// matches tells whether the file on disk is the one that git wrote. A git that
// was built without nanoseconds leaves them 0; a system without change times
// leaves those 0.
func (e indexed) matches(s stamp) bool {
	switch {
	case e.mode&kindMask == kindModule:
		return s.kind() == kindDir
	case s.kind() != kindFile && s.kind() != kindLink, uint32(s.Size) != e.size, !sameTime(e.mtime, s.Mtime):
		return false
	case s.Ctime == 0 && s.Inode == 0:
		return true
	}
	return sameTime(e.ctime, s.Ctime) && uint32(s.Inode) == e.inode
}

func sameTime(index, disk int64) bool {
	return index == disk || index%1e9 == 0 && index/1e9 == disk/1e9
}
