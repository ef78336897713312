package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
)

// logFlags are those of logs.
type logFlags struct {
	follow, stderr bool
	round, try     count
}

// A tryLog is the output of one try.
type tryLog struct {
	path       string
	round, try int
}

func (a *app) logsCommand() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "Print what the generator of a task wrote",
		Long: `logs prints the output of the last try, or of the one that --round or --try names.
With -f it goes on with what is written from now on, over further tries, until the
task has ended. Secrets were taken out before the output was kept; what could steer a
terminal is left out here. The raw logs are in .loop/tasks/ID/attempts.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.logs(cmd.Context(), args[0], f) },
	}
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on until the task has ended")
	cmd.Flags().BoolVar(&f.stderr, "stderr", false, "what it wrote on standard error")
	cmd.Flags().Var(&f.round, "round", "the last try of round `N`")
	cmd.Flags().Var(&f.try, "try", "try `N`, counted over the whole task")
	cmd.MarkFlagsMutuallyExclusive("round", "try")
	cmd.MarkFlagsMutuallyExclusive("follow", "round")
	cmd.MarkFlagsMutuallyExclusive("follow", "try")
	return cmd
}

func (a *app) logs(ctx context.Context, id string, f logFlags) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if taken, err := look.taken(id); err != nil || !taken {
		return errors.Join(err, look.unclaimed(id))
	}
	if f.follow {
		t := &tail{app: a, look: look, id: id, flags: f}
		return t.follow(ctx)
	}
	all, err := look.tryLogs(id, f)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%w: %s has no such try: looprun show %s lists its rounds", errNoTask, id, id)
	}
	_, err = a.printLog(id, all[len(all)-1], f, 0, true)
	return err
}

// tryLogs are the logs that the flags ask for, in the order of the tries. The
// try under way has one too.
func (l *looker) tryLogs(id string, f logFlags) ([]tryLog, error) {
	stream := "stdout"
	if f.stderr {
		stream = "stderr"
	}
	pattern := filepath.Join(filepath.Dir(l.tasks), loop.LoopDir, "tasks", id, "attempts", "round-*", "try-*."+stream)
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var all []tryLog
	for _, path := range names {
		t := tryLog{path: path}
		_, err1 := fmt.Sscanf(filepath.Base(filepath.Dir(path)), "round-%d", &t.round)
		_, err2 := fmt.Sscanf(filepath.Base(path), "try-%d.", &t.try)
		wanted := (f.round == 0 || t.round == int(f.round)) && (f.try == 0 || t.try == int(f.try))
		if err1 == nil && err2 == nil && wanted {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(x, y tryLog) int { return cmp.Compare(x.try, y.try) })
	return all, nil
}

// printLog prints a log from an offset on, and returns the offset behind what
// it printed. A line without its end is printed only if the log is over.
func (a *app) printLog(id string, t tryLog, f logFlags, from int64, over bool) (int64, error) {
	file, err := os.Open(t.path)
	if err != nil {
		return from, err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return from, err
	}
	lines := bufio.NewReaderSize(file, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		eof := errors.Is(err, io.EOF)
		if len(line) > 0 && (over || !eof) {
			a.printLogLine(id, t, f, string(line))
			from += int64(len(line))
		}
		switch {
		case eof:
			return from, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return from, err
		}
	}
}

// A logLine is what logs --json prints for a line, or a part of a very long one.
type logLine struct {
	TaskID string `json:"task_id"`
	Round  int    `json:"round"`
	Try    int    `json:"try"`
	Stream string `json:"stream"`
	Line   string `json:"line"`
}

func (a *app) printLogLine(id string, t tryLog, f logFlags, line string) {
	if !a.json {
		fmt.Fprint(a.stdout, line)
		return
	}
	stream := "stdout"
	if f.stderr {
		stream = "stderr"
	}
	a.printJSON(logLine{id, t.round, t.try, stream, strings.TrimRight(line, "\r\n")})
}

// glance is the time between two looks at files that somebody else writes.
const glance = 200 * time.Millisecond

// A tail follows the logs of a task: that of the last try, what is added to it,
// and those of the tries after it.
type tail struct {
	*app
	look  *looker
	id    string
	flags logFlags

	at     tryLog // the log that was printed last
	offset int64  // up to where
}

func (t *tail) follow(ctx context.Context) error {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		over := t.look.end(t.id) != "" // looked at first, so that nothing is missed
		if err := t.print(over); err != nil || over {
			return err
		}
		select {
		case <-ctx.Done():
			return asSignal(ctx, nil)
		case <-tick.C:
		}
	}
}

// print prints what is new since it was called last.
func (t *tail) print(over bool) error {
	all, err := t.look.tryLogs(t.id, t.flags)
	if t.at.path == "" && len(all) > 0 {
		all = all[len(all)-1:]
	}
	for i, log := range all {
		if log.try < t.at.try {
			continue
		}
		if log.path != t.at.path {
			t.tell(fmt.Sprintf("%s round %d try %d", t.id, log.round, log.try))
			t.at, t.offset = log, 0
		}
		t.offset, err = t.printLog(t.id, log, t.flags, t.offset, over || i < len(all)-1)
		if err != nil {
			return err
		}
	}
	return err
}

// lastLines are the last n lines of a log that have anything in them.
func lastLines(path string, n int) (lines []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	const enough = 16 << 10
	if info, err := f.Stat(); err == nil && info.Size() > enough {
		_, _ = f.Seek(-enough, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, enough))
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}
