package loop

import (
	"strings"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
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
