package workspace

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"looprun.dev/looprun/internal/fsx"
)

// objects reads from several object directories, each opened directly: through
// an alternate the pack index would be read again for every object.
type objects struct {
	dirs   []string
	stores []*filesystem.Storage
}

// openObjects opens the control directory's objects, then the user's.
func (s *Space) openObjects() *objects {
	if s.store == nil {
		s.store = &objects{dirs: append([]string{s.ctl.objects}, s.repo.objects...)}
		s.store.open()
	}
	return s.store
}

func (o *objects) open() {
	o.stores = nil
	for _, dir := range o.dirs {
		git := osfs.New(filepath.Dir(dir))
		opt := filesystem.Options{LargeObjectThreshold: 1 << 20}
		o.stores = append(o.stores, filesystem.NewStorageWithOptions(git, cache.NewObjectLRU(8<<20), opt))
	}
}

// get finds an object. What is missing is looked for again in stores opened
// anew: the user's git may have packed it in the meantime.
func (o *objects) get(kind plumbing.ObjectType, id string) (plumbing.EncodedObject, error) {
	obj, err := o.find(kind, plumbing.NewHash(id))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		o.open()
		obj, err = o.find(kind, plumbing.NewHash(id))
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, id, err)
	}
	return obj, nil
}

// find asks the stores in turn.
func (o *objects) find(kind plumbing.ObjectType, id plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, store := range o.stores {
		obj, err := store.EncodedObject(kind, id)
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return obj, err
		}
	}
	return nil, plumbing.ErrObjectNotFound
}

// has tells whether the user's repository has an object.
func (o *objects) has(id plumbing.Hash) bool {
	for _, store := range o.stores[1:] {
		if store.HasEncodedObject(id) == nil {
			return true
		}
	}
	return false
}

// commit reads a commit.
func (o *objects) commit(id string) (*object.Commit, error) {
	obj, err := o.get(plumbing.CommitObject, id)
	if err != nil {
		return nil, err
	}
	c := &object.Commit{}
	return c, c.Decode(obj)
}

// tree reads the entries of one directory.
func (o *objects) tree(id plumbing.Hash) (map[string]object.TreeEntry, error) {
	obj, err := o.get(plumbing.TreeObject, id.String())
	if err != nil {
		return nil, err
	}
	var t object.Tree
	if err := t.Decode(obj); err != nil {
		return nil, err
	}
	entries := make(map[string]object.TreeEntry, len(t.Entries))
	for _, e := range t.Entries {
		entries[e.Name] = e
	}
	return entries, nil
}

// A blob is what is told of a file's content.
type blob struct {
	size   int64
	binary bool // has a NUL near its start, as git sees it
	lines  int
}

// blob reads one blob in a stream, whatever its size.
func (s *Space) blob(id string) (blob, error) {
	obj, err := s.openObjects().get(plumbing.BlobObject, id)
	if err != nil {
		return blob{}, err
	}
	r, err := obj.Reader()
	if err != nil {
		return blob{}, err
	}
	defer r.Close()
	b := blob{size: obj.Size()}
	buf := make([]byte, 32<<10)
	last := byte('\n')
	for at := 0; ; {
		n, err := r.Read(buf)
		b.binary = b.binary || bytes.IndexByte(buf[:min(n, max(0, 8000-at))], 0) >= 0
		b.lines += bytes.Count(buf[:n], []byte("\n"))
		if at += n; n > 0 {
			last = buf[n-1]
		}
		if errors.Is(err, io.EOF) {
			if last != '\n' {
				b.lines++
			}
			return b, nil
		}
		if err != nil {
			return blob{}, err
		}
	}
}

// put writes an object durably into dir. That it exists already is no error:
// its name is its content.
func (s *Space) put(dir string, obj plumbing.EncodedObject) (string, error) {
	data, err := loose(obj)
	if err != nil {
		return "", err
	}
	id := obj.Hash().String()
	top, err := fsx.Open(dir, s.seams()...)
	if err != nil {
		return "", err
	}
	defer top.Close()
	if err := top.Mkdir(id[:2]); err != nil {
		return "", err
	}
	sub, err := top.Sub(id[:2])
	if err != nil {
		return "", err
	}
	defer sub.Close()
	if err := sub.Create(id[2:], data); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return id, nil
}

// loose is git's form of one object in a file of its own.
func loose(obj plumbing.EncodedObject) ([]byte, error) {
	r, err := obj.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "%s %d\x00", obj.Type(), obj.Size())
	if _, err := io.Copy(z, r); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// syncObjects makes the names of new objects durable. Git fsyncs an object, but
// not the directory that names it.
func (s *Space) syncObjects(dir string, since int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if len(e.Name()) != 2 && e.Name() != "pack" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if st, err := lstat(path); err != nil || st.Mtime < since {
			continue
		}
		if err := s.syncDir(path); err != nil {
			return err
		}
	}
	return s.syncDir(dir)
}

func (s *Space) syncDir(path string) error {
	d, err := fsx.Open(path, s.seams()...)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
