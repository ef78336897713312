package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

// keep is how much of the end of stderr is kept to look for an error.
const keep = 64 << 10

// Run runs one try of the generator to its end: no process of it is left when
// it returns. However the generator fails is told in the Try; an error means
// that this could not be found out, or that its output could not be kept. The
// candidate of the Try is the caller's.
func Run(ctx context.Context, s Start) (round.Try, error) {
	try, err := run(ctx, s)
	if err != nil {
		return try, fmt.Errorf("run generator of %s, try %d: %w", s.TaskID, s.Try, err)
	}
	return try, nil
}

func run(ctx context.Context, s Start) (round.Try, error) {
	try := round.Try{N: s.Try, Strategy: s.Strategy, Mode: s.Mode, Model: s.Model}
	if err := errors.Join(s.prepare(), s.fillStore()); err != nil {
		return try, err
	}
	environ := s.environ()
	secrets := Secrets(environ, s.Redact)
	cmd := s.command(environ, secrets)
	ran, err := child.Run(ctx, cmd)
	record(&try, s, cmd, ran)
	if err != nil {
		return try, err
	}
	ending, err := s.ending(cmd, ran)
	if err != nil {
		return try, err
	}
	report, faults := s.report(&try, secrets)
	tell(&try, s.share(ending), report)
	signs := s.signs(ran, ending, report, faults)
	if s.Changed != nil {
		if signs.Changed, err = s.Changed(ctx); err != nil {
			return try, err
		}
	}
	try.Failure = recovery.Classify(signs, s.Patterns)
	return try, nil
}

// prepare writes what the generator reads, and removes what an earlier start
// left in the same places: a report would be believed, and a link would be
// written through.
func (s Start) prepare() error {
	disk := fsx.Scratch("")
	for _, dir := range []string{s.LogDir, filepath.Dir(s.RequestPath), filepath.Dir(s.PromptPath), filepath.Dir(s.ReportPath), filepath.Dir(s.EffectsPath)} {
		if err := disk.MkdirAll(dir); err != nil {
			return err
		}
	}
	for _, path := range []string{s.RequestPath, s.PromptPath, s.ReportPath} {
		if err := disk.RemoveAll(path); err != nil {
			return err
		}
	}
	if err := disk.WriteFile(s.RequestPath, s.Request); err != nil {
		return err
	}
	return disk.WriteFile(s.PromptPath, s.Prompt)
}

func (s Start) command(environ, secrets []string) child.Cmd {
	logs := fsx.Scratch(s.LogDir)
	cmd := child.Cmd{
		Argv: s.Adapter.argv(s), Wrap: s.Wrap, Dir: s.Dir, Env: environ,
		Wall: s.Wall, Silence: s.Silence, Grace: s.Grace, Active: s.Active,
		Stdout: logs.Path(s.log("stdout")), Stderr: logs.Path(s.log("stderr")),
		MaxOutput: s.MaxOutput, Keep: keep, RunID: s.RunID, Redact: secrets, Started: s.Started,
	}
	if s.Adapter.Prompt == Stdin {
		cmd.Stdin = s.Prompt
	}
	return cmd
}

// log names a file of this try.
func (s Start) log(kind string) string { return fmt.Sprintf("try-%02d.%s", s.Try, kind) }

// record takes over how the process ended and what it was given.
func record(try *round.Try, s Start, cmd child.Cmd, ran child.Result) {
	try.Started = ran.Started
	try.DurationMS = ran.Duration.Milliseconds()
	try.Ended, try.ExitCode, try.Signal = ran.Ended, ran.ExitCode, strings.TrimPrefix(ran.Signal, "SIG")
	try.ProcessesEnded, try.ProcessControl = ran.ProcessesEnded, ran.Level
	try.Request = s.fileOf(s.RequestPath, s.Request)
	try.Prompt = s.fileOf(s.PromptPath, s.Prompt)
	try.Stdout, try.Stderr = s.logOf(cmd.Stdout, ran, ran.Stdout), s.logOf(cmd.Stderr, ran, ran.Stderr)
}

// ending reads the terminal event of a program that has one.
func (s Start) ending(cmd child.Cmd, ran child.Result) (Ending, error) {
	if s.Adapter.Read == nil || ran.NotFound {
		return Ending{}, nil
	}
	out, err := os.Open(cmd.Stdout)
	if err != nil {
		return Ending{}, err
	}
	defer out.Close()
	errs, err := os.Open(cmd.Stderr)
	if err != nil {
		return Ending{}, err
	}
	defer errs.Close()
	e, err := s.Adapter.Read(out, errs)
	if err == nil && e.Good && e.Finish == "" && s.cutOff(e.SessionID) {
		e.Finish = cutFinish
	}
	return e, err
}

// tell takes over what the generator says of its work. Its report wins over
// its terminal event, since the report was asked for.
func tell(try *round.Try, e Ending, r *Report) {
	try.Summary, try.SessionID = clean(e.Summary, maxText), e.SessionID
	try.Usage, try.Cost, try.InnerRetries = e.Usage, e.Cost, e.InnerRetries
	if r == nil {
		return
	}
	try.Status, try.Question, try.Approach = r.Status, r.Question, r.Approach
	if r.Status == NeedsInput {
		try.Question = cmp.Or(r.Question, r.Summary)
	}
	if r.Summary != "" {
		try.Summary = r.Summary
	}
	if r.SessionID != "" {
		try.SessionID = r.SessionID
	}
	if r.Usage != nil {
		try.Usage = r.Usage
	}
	if r.Cost != nil {
		try.Cost = r.Cost
	}
}

// signs collects what the failure is classified by.
func (s Start) signs(ran child.Result, e Ending, r *Report, faults []string) recovery.Signs {
	signs := recovery.Signs{
		Stage: recovery.StageGenerator, Ended: ran.Ended, Signal: strings.TrimPrefix(ran.Signal, "SIG"), NotFound: ran.NotFound,
		Expects: s.Adapter.Read != nil, Exits: s.Adapter.Exits, Statuses: s.Adapter.Statuses,
		ReportFaults: faults, Stderr: lastWords(ran.Stderr), Now: time.Now(), Zone: s.Zone,
	}
	if over(ran.Ended, e) {
		signs.Ended = recovery.EndedExit
	} else if ran.Ended == child.Exit {
		signs.ExitCode = &ran.ExitCode
	}
	if s.Adapter.Read != nil {
		signs.Event = &e.Event
	}
	if r != nil {
		signs.Report = r.signs()
	}
	return signs
}

// lastWords is what is kept of stderr.
func lastWords(stderr child.Stream) string {
	joint := ""
	if stderr.Total > keep {
		joint = "\n"
	}
	return string(stderr.Head) + joint + string(stderr.Tail)
}
