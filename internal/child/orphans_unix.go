//go:build linux || darwin

package child

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// EndOrphans ends the processes that a dead looprun has left: those of procs,
// their descendants, and all that carry one of runIDs. A recorded process is
// recognised by boot, pid and start together; if one of them differs, nothing
// is signalled on its account. It returns how many processes were ended. The
// caller holds the lock that keeps another looprun from working on the same
// runs.
func EndOrphans(ctx context.Context, procs []Proc, runIDs []string) (ended int, err error) {
	o, err := newOrphans(procs, runIDs)
	if err != nil {
		return 0, err
	}
	e := ending{living: o.living, kill: o.kill, seen: map[int]uint64{}}
	if err = e.run(leftoverGrace, ctx.Done()); err != nil {
		err = fmt.Errorf("end processes of an earlier looprun: %w", err)
	}
	for _, g := range o.groups {
		err = errors.Join(err, g.remove())
	}
	return len(e.seen), err
}

// newOrphans knows what was recorded in this boot of the machine.
func newOrphans(procs []Proc, runIDs []string) (*orphans, error) {
	id, err := boot()
	if err != nil {
		return nil, err
	}
	o := &orphans{runs: map[string]bool{}, known: map[int]process{}}
	for _, p := range procs {
		if p.Boot == id && p.PID > 1 {
			o.known[p.PID] = process{pid: p.PID, start: p.Start}
		}
	}
	for _, run := range runIDs {
		if run != "" && !o.runs[run] {
			o.runs[run] = true
			o.groups = append(o.groups, leftCgroups(run)...)
		}
	}
	return o, nil
}

// orphans are the processes of runs whose looprun has died.
type orphans struct {
	runs   map[string]bool
	known  map[int]process
	groups []*cgroup
}

func (o *orphans) living() ([]process, error) {
	if len(o.runs) == 0 && len(o.known) == 0 {
		return nil, nil
	}
	all, err := processes()
	if err != nil {
		return nil, err
	}
	o.learn(o.members())
	t := tableOf(all)
	// looprun itself may have been started from a run.
	spared := t.above(os.Getpid())
	var roots []process
	for _, p := range all {
		k, known := o.known[p.pid]
		switch {
		case spared[p.pid] || p.dead:
		case known && k.start == p.start:
			p.alone = k.alone
			roots = append(roots, p)
		case o.led(t, p.group) || o.led(t, p.session):
			roots = append(roots, p)
		case o.runs[runIDIn(environ(p.pid))]:
			p.alone = true
			roots = append(roots, p)
		}
	}
	return o.learn(t.below(roots)), nil
}

// led tells whether a group or session is that of a recorded command. While
// the command is there, nobody else can have one of its number.
func (o *orphans) led(t table, number int) bool {
	k, known := o.known[number]
	p, there := t.all[number]
	return known && there && k.start == p.start && !k.alone && p.group == number
}

// learn keeps what was found: it may lose its trace when its parent dies.
func (o *orphans) learn(ps []process) []process {
	for _, p := range ps {
		o.known[p.pid] = p
	}
	return ps
}

func (o *orphans) members() (ps []process) {
	for _, g := range o.groups {
		ps = append(ps, g.members()...)
	}
	return ps
}

func (o *orphans) kill() {
	for _, g := range o.groups {
		g.kill()
	}
}
