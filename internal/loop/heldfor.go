package loop

import (
	"strings"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/unit"
)

// A HeldBack is a target that keeps tasks in inbox now.
type HeldBack struct {
	record.Circuit
	Profile string // the profile whose tasks it keeps back; "" for all tasks
}

// HeldNow lists, for those who only look, the targets that a claim would find
// held. Which base a profile is held on only a run can tell for sure: one that
// was mended is claimed.
func HeldNow(cfg config.Config, environ []string, circuits []record.Circuit, now time.Time) (all []HeldBack) {
	l := &Loop{cfg: cfg, opts: Options{Environ: environ}}
	every := map[string]bool{}
	for _, t := range l.agent(l.firstModel()) {
		every[t.String()] = true
	}
	for _, c := range circuits {
		if !c.Holds(now, "") {
			continue
		}
		name, ofProfile := strings.CutPrefix(c.Target, profileScope+" ")
		name, _, _ = strings.Cut(name, "@")
		switch {
		case every[c.Target]:
			all = append(all, HeldBack{Circuit: c})
		case ofProfile:
			all = append(all, HeldBack{Circuit: c, Profile: name})
		}
	}
	return all
}

// UsedUpNow tells, for those who only look, whether a claim would find no money
// left for today after spent, and until when.
func UsedUpNow(cfg config.Config, environ []string, circuits []record.Circuit, spent unit.Money, now time.Time) (time.Time, bool) {
	l := &Loop{cfg: cfg, opts: Options{Environ: environ}}
	var dearest unit.Money
	for _, c := range circuits {
		if c.Target == l.model(l.firstModel()).String() {
			dearest = c.Dearest
		}
	}
	return tomorrow(now), usedUp(spent, dearest, cfg.Stop)
}
