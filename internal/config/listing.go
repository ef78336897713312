package config

import (
	"net/url"
	"strings"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

func (l *listing) queue() {
	q := l.Queue
	l.add("queue.concurrency", q.Concurrency)
	l.add("queue.rescan", q.Rescan)
	l.add("queue.watch", q.Watch)
	if q.MaxUnmerged == 0 {
		l.add("queue.max_unmerged", nil)
	} else {
		l.add("queue.max_unmerged", q.MaxUnmerged)
	}
	l.add("queue.disk_floor", q.DiskFloor)
}

func (l *listing) workspace() {
	w := l.Workspace
	l.add("workspace.mode", w.Mode)
	l.add("workspace.base", w.Base)
	l.text("workspace.dir", w.Dir)
	for i, s := range w.Setup {
		at := item("workspace.setup", i)
		l.add(at+".run", s.Run)
		l.texts(at+".inputs", s.Inputs)
		l.add(at+".timeout", s.Timeout)
	}
	if len(w.Setup) == 0 {
		l.texts("workspace.setup", nil)
	}
	l.texts("workspace.share", w.Share)
	l.add("workspace.allow_network_fs", w.AllowNetworkFS)
	l.add("land.mode", l.Land.Mode)
	l.add("land.branch", l.Land.Branch)
}

func (l *listing) generator() {
	g := l.Generator
	l.add("generator.adapter", g.Adapter)
	l.command("generator.command", g.Command)
	l.texts("generator.models", g.Models)
	l.add("generator.resume", g.Resume)
	l.add("generator.timeout", g.Timeout)
	l.add("generator.silence", g.Silence)
	l.add("generator.grace", g.Grace)
	l.command("generator.probe", g.Probe)
	l.command("generator.summarizer", g.Summarizer)
	l.env("generator.env", g.Env)
}

func (l *listing) verification() {
	v := l.Verification
	for _, name := range sortedKeys(v.Profiles) {
		for i, c := range v.Profiles[name] {
			l.check(item(member("verification.profiles", name), i), c)
		}
	}
	l.texts("verification.always", v.Always)
	l.add("verification.baseline", v.Baseline)
	l.add("verification.canary", v.Canary)
	l.add("verification.canary_skip", named(v.CanarySkip))
	l.add("verification.flaky_reruns", v.FlakyReruns)
	l.env("verification.env", v.Env)
	l.add("verification.masks", append([]round.Mask{}, v.Masks...))
}

// named shows a mapping that is not there as an empty one.
func named(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func (l *listing) check(at string, c round.Check) {
	l.add(at+".run", c.Run)
	l.add(at+".timeout", c.Timeout)
	l.text(at+".report", c.Report)
	l.add(at+".format", c.Format)
	l.text(at+".hidden", c.Hidden)
	l.add(at+".dir", c.Dir)
}

func (l *listing) bounds() {
	b, s := l.Boundary, l.Stop
	l.texts("boundary.allow", b.Allow)
	l.texts("boundary.protect", b.Protect)
	l.add("boundary.max_changed_files", b.MaxFiles)
	l.add("boundary.max_changed_lines", b.MaxLines)
	l.add("boundary.max_bytes", unit.Size(b.MaxBytes))
	l.add("stop.max_rounds_per_task", s.MaxRounds)
	l.add("stop.same_failure_limit", s.SameFailure)
	l.add("stop.max_tries", s.MaxTries)
	l.add("stop.wall_clock", s.WallClock)
	l.add("stop.deadline", s.Deadline)
	l.add("stop.max_tokens", s.MaxTokens)
	l.add("stop.cost_usd", s.Cost)
	l.add("stop.min_try_cost_usd", s.MinTryCost)
	l.add("stop.daily_cost_usd", s.DailyCost)
}

func (l *listing) recovery() {
	r := l.Recovery
	l.add("recovery.backoff.base", r.Backoff.Base)
	l.add("recovery.backoff.factor", r.Backoff.Factor)
	l.add("recovery.backoff.cap", r.Backoff.Cap)
	l.add("recovery.backoff.jitter", jitterWord(r.Backoff.Jitter))
	l.add("recovery.backoff.max_wait", r.Backoff.MaxWait)
	l.add("recovery.inline_wait", r.InlineWait)
	l.add("recovery.hold", r.Hold)
	l.add("recovery.breaker.consecutive", r.Breaker.Consecutive)
	l.add("recovery.breaker.tasks", r.Breaker.Tasks)
	l.add("recovery.breaker.in_window", r.Breaker.InWindow)
	l.add("recovery.breaker.window", r.Breaker.Window)
	l.add("recovery.breaker.open", r.Breaker.Open)
	l.add("recovery.breaker.open_max", r.Breaker.OpenMax)
	l.add("recovery.retry_budget.window", r.RetryBudget.Window)
	l.add("recovery.retry_budget.max", r.RetryBudget.Max)
	for _, category := range sortedKeys(r.Chains) {
		l.chain(member("recovery.chains", string(category)), r.Chains[category])
	}
	l.add("recovery.patterns", append([]recovery.Pattern{}, r.Patterns...))
	if r.Strategies == nil {
		r.Strategies = map[recovery.Strategy]round.Command{}
	}
	l.add("recovery.strategies", r.Strategies)
}

func jitterWord(on bool) string {
	if on {
		return "equal"
	}
	return "none"
}

// A chainStep is a step in the words of loop.yaml. One that only the task's
// tries bound has no max.
type chainStep struct {
	Strategy recovery.Strategy `json:"strategy"`
	Max      int               `json:"max,omitempty"`
	Base     unit.Duration     `json:"base,omitempty"`
	Factor   float64           `json:"factor,omitempty"`
	Cap      unit.Duration     `json:"cap,omitempty"`
	Text     string            `json:"text,omitempty"`
	Message  string            `json:"message,omitempty"`
	Ratio    float64           `json:"ratio,omitempty"`
	Floor    int               `json:"floor,omitempty"`
}

func (l *listing) chain(at string, c recovery.Chain) {
	steps := []chainStep{}
	for _, s := range c.Steps {
		shown := chainStep(s)
		if s.Max == recovery.Unbounded {
			shown.Max = 0
		}
		steps = append(steps, shown)
	}
	l.add(at+".enabled", !c.Disabled)
	l.add(at+".steps", steps)
	l.add(at+".then", c.Then)
}

func (l *listing) effects() {
	for _, name := range sortedKeys(l.Effects) {
		e, at := l.Effects[name], member("effects", name)
		l.text(at+".target", e.Target)
		l.add(at+".repeat", e.Repeat)
		l.add(at+".irreversible", e.Irreversible)
		l.command(at+".observe", e.Observe)
		l.command(at+".compensate", e.Compensate)
		l.add(at+".timeout", e.Timeout)
	}
}

func (l *listing) rest() {
	l.add("sandbox.mode", l.Sandbox.Mode)
	if line, ok := l.Origin("sandbox"); ok && !l.givenIn("sandbox.") { // the mode alone
		l.all[len(l.all)-1].Line = line
	}
	l.texts("sandbox.read", l.Sandbox.Read)
	l.texts("sandbox.write", l.Sandbox.Write)
	l.add("sandbox.network", l.Sandbox.Network)
	l.command("hooks.done", l.Hooks.Done)
	l.command("hooks.blocked", l.Hooks.Blocked)
	l.command("hooks.needs_input", l.Hooks.NeedsInput)
	l.command("hooks.held", l.Hooks.Held)
	l.command("hooks.breaker_open", l.Hooks.BreakerOpen)
	l.text("hooks.webhook", host(l.Hooks.Webhook))
	l.text("metrics.textfile_dir", l.Metrics.TextfileDir)
	l.add("records.keep", l.Records.Keep)
	l.add("records.max_output", l.Records.MaxOutput)
	l.texts("records.redact", l.Records.Redact)
	if l.Engine == nil {
		l.Engine = map[string]any{}
	}
	l.add("engine", l.Engine)
}

// givenIn reports that the file gives a setting whose path begins so.
func (c Config) givenIn(prefix string) bool {
	for path := range c.places {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// host is an address without its path, which is the secret of many a webhook.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/..."
}
