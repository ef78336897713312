package loop

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

// The scopes of targets, as round.Scope names them.
const (
	accountScope = "account"
	modelScope   = "model"
	commandScope = "command"
	profileScope = "profile"
	loopScope    = "loop"
)

// accountNames are the variables of a generator that tell one account from
// another and are no secrets, the most telling first.
var accountNames = []string{"CODEX_HOME", "CLAUDE_CONFIG_DIR", "PI_CODING_AGENT_DIR", "AWS_PROFILE", "OPENAI_ORG_ID"}

// account is the login that the generator uses, as far as it can be told.
func (l *Loop) account() record.Target {
	name, env := "default", l.environ(l.cfg.Generator.Env)
	secrets := l.secretValues()
	for _, known := range slices.Backward(accountNames) {
		for _, entry := range env {
			if value, ok := strings.CutPrefix(entry, known+"="); ok && value != "" && !slices.Contains(secrets, value) {
				name = value
			}
		}
	}
	return record.Target{Scope: accountScope, Name: l.cfg.Generator.Adapter + "/" + name}
}

func (l *Loop) model(name string) record.Target {
	if name == "" {
		name = "default"
	}
	return record.Target{Scope: modelScope, Name: l.account().Name + "/" + name}
}

// command is what starts the generator, without the secrets that may stand in
// its arguments.
func (l *Loop) command() record.Target {
	argv := l.cfg.Generator.Command
	if adapter, ok := generator.Find(l.cfg.Generator.Adapter); ok && len(argv) == 0 {
		argv = adapter.Command
	}
	name := strings.Join(argv, " ")
	for _, secret := range l.secretValues() {
		name = strings.ReplaceAll(name, secret, "[redacted]")
	}
	return record.Target{Scope: commandScope, Name: name}
}

// disk is the loop as a whole: what it is at fault for keeps everything back.
func (l *Loop) disk() record.Target { return record.Target{Scope: loopScope, Name: "disk"} }

// profileOn is a profile on a base: its checks say the same for every task.
func profileOn(name, base string) record.Target {
	const most = 12 // digits tell one commit from another
	return record.Target{Scope: profileScope, Name: name + "@" + base[:min(most, len(base))]}
}

// agent lists what a start with that model depends on, whatever its task.
func (l *Loop) agent(model string) []record.Target {
	return []record.Target{l.account(), l.model(model), l.command(), l.disk()}
}

// profileTargets are those that the checks of a task depend on.
func (h *host) profileTargets(s round.State) []record.Target {
	var all []record.Target
	for _, p := range h.profiles(s) {
		all = append(all, profileOn(p.Name, s.Claimed.Base))
	}
	return all
}

// atFault are the targets that the failure of category c is blamed on.
func (h *host) atFault(s round.State, c recovery.Category) []record.Target {
	switch round.Scope(c, recovery.ClassesOf(s.Policy.Patterns)) {
	case accountScope:
		return []record.Target{h.account()}
	case modelScope:
		return []record.Target{h.model(s.Request.Model)}
	case commandScope:
		return []record.Target{h.command()}
	case profileScope:
		return h.failingProfiles(s)
	}
	return []record.Target{h.disk()}
}

// failingProfiles are those of s that only fail for want of what they run in.
func (h *host) failingProfiles(s round.State) []record.Target {
	if s.Preflight.Reason != "" {
		return []record.Target{profileOn(s.Preflight.Profile, s.Claimed.Base)}
	}
	var all []record.Target
	for _, c := range s.Evidence.Checks {
		if t := profileOn(c.Profile, s.Claimed.Base); c.Infra && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}
