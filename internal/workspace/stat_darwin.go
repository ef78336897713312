package workspace

import (
	"io/fs"
	"syscall"
)

func sysStamp(info fs.FileInfo) stamp {
	st := info.Sys().(*syscall.Stat_t)
	return stamp{
		Mode: uint32(st.Mode), Links: uint32(st.Nlink), Size: st.Size,
		Mtime: st.Mtimespec.Nano(), Ctime: st.Ctimespec.Nano(), Inode: st.Ino,
	}
}
