package web_test

import (
	"strings"
	"testing"

	"looprun.dev/looprun/internal/web"
)

const connections = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1E25 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5 1 0 100 0 0 10 0
   1: 0100007F:1E25 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 6 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:1E25 01 00000000:00000000 00:00000000 00000000  1001        0 7 1 0 20 4 30 10 -1
`

func TestOwnerOf(t *testing.T) {
	tests := map[string]struct {
		table    string
		from, to uint16
		uid      int
		found    bool
	}{
		"the other end, not ours":   {connections, 0xC350, 0x1E25, 1001, true},
		"our own end":               {connections, 0x1E25, 0xC350, 1000, true},
		"a connection there is not": {connections, 1, 0x1E25, 0, false},
		"a table of another form":   {"a b c d e f g h\n1: :C350 :1E25 01\n", 0xC350, 0x1E25, 0, false},
		"no table":                  {"", 1, 1, 0, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			uid, found := web.OwnerOf(strings.NewReader(tc.table), tc.from, tc.to)
			if uid != tc.uid || found != tc.found {
				t.Errorf("OwnerOf(%d, %d) = %d, %v; want %d, %v", tc.from, tc.to, uid, found, tc.uid, tc.found)
			}
		})
	}
}

func FuzzOwnerOf(f *testing.F) {
	f.Add(connections, uint16(0xC350), uint16(0x1E25))
	f.Fuzz(func(t *testing.T, table string, from, to uint16) {
		if uid, found := web.OwnerOf(strings.NewReader(table), from, to); uid < 0 || !found && uid != 0 {
			t.Errorf("OwnerOf = %d, %v", uid, found)
		}
	})
}
