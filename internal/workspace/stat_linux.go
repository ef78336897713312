package workspace

import (
	"io/fs"
	"syscall"
)

func sysStamp(info fs.FileInfo) stamp {
	st := info.Sys().(*syscall.Stat_t)
	return stamp{
		Mode: st.Mode, Links: uint32(st.Nlink), Size: st.Size,
		Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino,
	}
}
