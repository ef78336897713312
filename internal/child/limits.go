package child

import "time"

// asleep is a gap between two looks at the clock that is no delay any more: the
// machine slept, or looprun itself was stopped.
const asleep = 10 * time.Second

// limits charges a run for time and silence. Its clock stands still while the
// machine sleeps and never looks at the time of day.
type limits struct {
	wall, silence time.Duration
	active        func() time.Time
	since         time.Time // start of the run

	awake   time.Duration // charged so far
	heard   time.Duration // the last sign of life
	asked   time.Duration // when active was asked last
	written int64
	touched time.Time // what active said then
}

// next is how long to wait before the next call of spend.
func (l *limits) next() time.Duration {
	d := pace
	if l.wall > 0 {
		d = min(d, l.wall-l.awake)
	}
	if l.silence > 0 {
		d = min(d, l.silence/8)
	}
	return max(d, time.Millisecond)
}

// spend charges d and returns the limit that is reached with it, else "".
// written is all that the child has written up to now.
func (l *limits) spend(d time.Duration, written int64) string {
	if d > asleep {
		d = 0
	}
	l.awake += d
	if written != l.written {
		l.written, l.heard = written, l.awake
	}
	switch {
	case l.wall > 0 && l.awake >= l.wall:
		return Timeout
	case l.silence > 0 && l.awake-l.heard >= l.silence/4 && !l.alive():
		return Silence
	}
	return ""
}

// alive asks for other signs of life: when a quarter of the limit has passed
// without one, and once more before it is too late. Asking may cost a scan of
// a whole tree.
func (l *limits) alive() bool {
	over := l.awake-l.heard >= l.silence
	if !over && l.awake-l.asked < l.silence/4 {
		return true
	}
	if l.moved() {
		l.heard = l.awake
		return true
	}
	return !over
}

// moved tells whether active names another time than before. Any other time
// will do, since the clock that set it may have been set back.
func (l *limits) moved() bool {
	l.asked = l.awake
	if l.active == nil {
		return false
	}
	t, before := l.active(), l.touched
	l.touched = t
	if before.IsZero() {
		return t.After(l.since)
	}
	return !t.Equal(before)
}
