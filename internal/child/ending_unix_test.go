//go:build linux || darwin

package child

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// nobody is a process that no signal reaches.
var nobody = process{pid: math.MaxInt32, group: math.MaxInt32}

func TestEnding(t *testing.T) {
	for name, tt := range map[string]struct {
		alive time.Duration // how long it takes to end by itself
		grace time.Duration
		stop  time.Duration // when now is closed; 0 is never
		took  time.Duration
		kills bool
		err   string
	}{
		"nothing alive costs nothing":        {0, 10 * time.Second, 0, 0, false, ""},
		"who ends in time is not killed":     {3 * time.Second, 10 * time.Second, 0, 3 * time.Second, false, ""},
		"who does not is killed":             {11 * time.Second, 10 * time.Second, 0, 11 * time.Second, true, ""},
		"without grace it is killed at once": {time.Second, 0, 0, time.Second, true, ""},
		"the grace period can be cut short":  {5 * time.Second, time.Minute, 2 * time.Second, 5 * time.Second, true, ""},
		"who survives KILL is told":          {time.Hour, time.Second, 0, time.Second + killWait, true, "processes [2147483647] are still alive"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				kills, now := false, make(chan struct{})
				if tt.stop > 0 {
					time.AfterFunc(tt.stop, func() { close(now) })
				}
				e := ending{seen: map[int]uint64{}, kill: func() { kills = true }, living: func() ([]process, error) {
					if time.Since(begun) >= tt.alive {
						return nil, nil
					}
					return []process{nobody}, nil
				}}
				err := e.run(tt.grace, now)
				if took := time.Since(begun); took < tt.took || took > tt.took+100*time.Millisecond || kills != tt.kills {
					t.Errorf("run took %v, killed %v; want %v, %v", took, kills, tt.took, tt.kills)
				}
				if tt.err == "" && err != nil || tt.err != "" && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("run = %v; want %q", err, tt.err)
				}
			})
		})
	}
}
