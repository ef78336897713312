//go:build linux || darwin

package child

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A process as the system's list shows it.
type process struct {
	pid, parent, group, session int
	start                       uint64
	dead                        bool // it waits to be reaped, nothing of it runs
	alone                       bool // its group may have other members than those of the run
}

// is tells whether the pid still belongs to the same process, and that it lives.
func (p process) is() bool {
	now, err := look(p.pid)
	return err == nil && now.start == p.start && !now.dead
}

// signalGroup sends sig to the group of p in one step, so that no member can
// slip away by a fork. A process that has left the group must not lead to it.
func (p process) signalGroup(sig syscall.Signal) bool {
	now, err := look(p.pid)
	return err == nil && now.start == p.start && now.group == p.group && unix.Kill(-p.group, sig) == nil
}

// signalAll sends sig to each of ps once.
func signalAll(ps []process, sig syscall.Signal) {
	ours := unix.Getpgrp()
	groups := map[int]bool{}
	for _, p := range ps {
		switch {
		case p.alone || p.group <= 1 || p.group == ours:
			p.signal(sig)
		case !groups[p.group]:
			groups[p.group] = p.signalGroup(sig)
		}
	}
}

// A table is the list of all processes, by pid and by parent.
type table struct {
	all      map[int]process
	children map[int][]int
}

func tableOf(ps []process) table {
	t := table{make(map[int]process, len(ps)), make(map[int][]int)}
	for _, p := range ps {
		t.all[p.pid] = p
		t.children[p.parent] = append(t.children[p.parent], p.pid)
	}
	return t
}

// below returns the living ones of roots and of all that descend from them.
func (t table) below(roots []process) []process {
	var living []process
	seen := map[int]bool{}
	for len(roots) > 0 {
		p := roots[0]
		roots = roots[1:]
		if seen[p.pid] {
			continue
		}
		seen[p.pid] = true
		if !p.dead {
			living = append(living, p)
		}
		for _, pid := range t.children[p.pid] {
			c := t.all[pid]
			c.alone = p.alone
			roots = append(roots, c)
		}
	}
	return living
}

// above returns the pids of a process and of all that it descends from.
func (t table) above(pid int) map[int]bool {
	up := map[int]bool{}
	for !up[pid] {
		up[pid] = true
		p, ok := t.all[pid]
		if !ok {
			break
		}
		pid = p.parent
	}
	return up
}
