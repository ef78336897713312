package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
)

// The shapes that cron prints.
const (
	cronAll     = "all"
	cronCrontab = "crontab"
	cronTimer   = "timer"
	cronWatch   = "watch"
)

func (a *app) cronCommand() *cobra.Command {
	what := choice{cronAll, []string{cronAll, cronCrontab, cronTimer, cronWatch}}
	every := span(10 * time.Minute)
	cmd := &cobra.Command{
		Use:   "cron",
		Short: "Print a crontab line and systemd units that run looprun here",
		Long: `cron prints what starts looprun in this place: a line for crontab -e, a systemd timer
with its service, and a service for watch. All paths are absolute and PATH is as now,
since cron and systemd start programs with almost no environment. It installs nothing.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.cron(what.word, time.Duration(every)) },
	}
	cmd.Flags().Var(&what, "for", "print one alone: `all`, crontab, timer or watch")
	cmd.Flags().Var(&every, "every", "time between two runs, `D` of whole minutes up to an hour")
	return cmd
}

// A schedule is what starts looprun by the clock.
type schedule struct {
	Crontab string   `json:"crontab"`
	Service string   `json:"service"`
	Timer   string   `json:"timer"`
	Watch   string   `json:"watch"`
	Missing []string `json:"variables_to_set"` // that loop.yaml passes on, and that only this shell has
}

func (a *app) cron(what string, every time.Duration) error {
	minutes := int(every.Minutes())
	if every%time.Minute != 0 || minutes < 1 || minutes > 60 || 60%minutes != 0 {
		return withCode(exitUsage, errors.New("--every takes minutes that divide an hour: 1m, 5m, 10m, 15m, 20m, 30m or 1h"))
	}
	cfg, err := a.load()
	if err != nil {
		return err
	}
	c, err := a.call(cfg)
	if err != nil {
		return err
	}
	s := schedule{
		Crontab: c.crontab(minutes), Service: c.service(), Timer: c.timer(minutes), Watch: c.watch(), Missing: a.missing(cfg),
	}
	if a.json {
		a.printJSON(s)
		return nil
	}
	a.printSchedule(s, what)
	if strings.HasPrefix(c.program, os.TempDir()+string(filepath.Separator)) {
		a.warn(c.program + " will not last: install looprun first (go install looprun.dev/looprun/cmd/looprun@latest)")
	}
	if len(s.Missing) > 0 {
		a.hint("set these for it too, in the crontab or in the EnvironmentFile: %s", strings.Join(s.Missing, ", "))
	}
	return nil
}

func (a *app) printSchedule(s schedule, what string) {
	parts := []struct{ name, head, text string }{
		{cronCrontab, "# crontab -e", s.Crontab},
		{cronTimer, "# ~/.config/systemd/user/looprun.service", s.Service},
		{cronTimer, "# ~/.config/systemd/user/looprun.timer\n# systemctl --user enable --now looprun.timer", s.Timer},
		{cronWatch, "# instead of the timer: ~/.config/systemd/user/looprun-watch.service\n# systemctl --user enable --now looprun-watch.service", s.Watch},
	}
	first := true
	for _, p := range parts {
		if what != cronAll && what != p.name {
			continue
		}
		if !first {
			fmt.Fprintln(a.stdout)
		}
		first = false
		fmt.Fprintf(a.stdout, "%s\n%s", p.head, p.text)
	}
}

// A call is a start of looprun that leans on nothing of a shell.
type call struct {
	program, dir string
	args         []string
	env          [][2]string
}

func (a *app) call(cfg config.Config) (call, error) {
	program, err := os.Executable()
	if err != nil {
		return call{}, fmt.Errorf("find looprun itself: %w", err)
	}
	file, err := a.configPath()
	if err != nil {
		return call{}, err
	}
	c := call{program: program, dir: cfg.Dir, env: [][2]string{{"PATH", absolutePath(a.getenv("PATH"))}}}
	if filepath.Base(file) != config.FileName {
		c.args = []string{"--config", file}
	}
	if state := a.getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		c.env = append(c.env, [2]string{"XDG_STATE_HOME", state}) // where the trees are
	}
	return c, nil
}

// absolutePath is PATH without what depends on where a program is started.
func absolutePath(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(os.PathListSeparator))
}

// crontab is a line of crontab(5), where % is the end of a line.
func (c call) crontab(minutes int) string {
	when := fmt.Sprintf("*/%d * * * *", minutes)
	if minutes == 60 {
		when = "0 * * * *"
	}
	var words []string
	for _, v := range c.env {
		words = append(words, v[0]+"="+shellQuote(v[1]))
	}
	words = append(words, shellQuote(c.program))
	for _, arg := range append(slices.Clone(c.args), "run", "--if-busy", "skip") {
		words = append(words, shellQuote(arg))
	}
	line := fmt.Sprintf("%s cd %s && mkdir -p .loop && %s >>.loop/cron.log 2>&1", when, shellQuote(c.dir), strings.Join(words, " "))
	return strings.ReplaceAll(line, "%", `\%`) + "\n"
}

// service is for one pass. Tasks that need a person are no fault of the service.
func (c call) service() string {
	return "[Unit]\nDescription=looprun in " + unitText(c.dir) + "\n\n[Service]\nType=oneshot\n" +
		c.start("run", "--if-busy", "skip") + "SuccessExitStatus=2 3 75 143\n"
}

// watch is for a looprun that stays up and says when it is ready.
func (c call) watch() string {
	return "[Unit]\nDescription=looprun watch in " + unitText(c.dir) + "\n\n[Service]\nType=notify\n" +
		c.start("watch", "--if-busy", "wait") + "SuccessExitStatus=143\nRestart=on-failure\nRestartSec=30s\n\n[Install]\nWantedBy=default.target\n"
}

// start are the lines that services have in common. They let looprun end what
// it started itself, and record it.
func (c call) start(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WorkingDirectory=%s\n", unitText(c.dir))
	for _, v := range c.env {
		fmt.Fprintf(&b, "Environment=%s\n", unitQuote(v[0]+"="+v[1]))
	}
	b.WriteString("EnvironmentFile=-%h/.config/looprun/env\n")
	words := []string{unitQuote(c.program)}
	for _, arg := range append(slices.Clone(c.args), args...) {
		words = append(words, unitQuote(arg))
	}
	fmt.Fprintf(&b, "ExecStart=%s\nKillMode=mixed\n", strings.ReplaceAll(strings.Join(words, " "), "$", "$$"))
	return b.String()
}

func (c call) timer(minutes int) string {
	when := fmt.Sprintf("*:0/%d", minutes)
	if minutes == 60 {
		when = "hourly"
	}
	return "[Unit]\nDescription=looprun in " + unitText(c.dir) + "\n\n[Timer]\nOnCalendar=" + when + "\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
}

// shellQuote is text as one word of a shell.
func shellQuote(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:=+,@", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// unitText is text in a systemd unit, where % starts a specifier.
func unitText(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// unitQuote is text as one word of a setting of a systemd unit.
func unitQuote(text string) string {
	if strings.ContainsAny(text, " \t'\"\\") {
		text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return unitText(text)
}

// missing are the variables that loop.yaml passes on, that are set now, and
// that nobody sets where there is no shell.
func (a *app) missing(cfg config.Config) []string {
	usual := []string{"PATH", "HOME", "LANG", "XDG_STATE_HOME"}
	var names []string
	for _, name := range append(slices.Clone(cfg.Generator.Env.Pass), cfg.Verification.Env.Pass...) {
		if a.getenv(name) != "" && !slices.Contains(usual, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
