package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

func (a *app) answerCommand() *cobra.Command {
	var text, file string
	var approve bool
	cmd := &cobra.Command{
		Use:   "answer ID",
		Short: "Answer a task that asked: a follow-up goes on with the answer and the history",
		Long: `answer makes a new task, ID-2, that carries the goal, what was tried, the evidence
and the answer. The task that asked stays as it ended.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			answer, err := a.answerText(text, file)
			if err != nil {
				return withCode(exitUsage, err)
			}
			return a.answer(args[0], answer, approve)
		},
	}
	cmd.Flags().StringVar(&text, "text", "", "the answer `T`")
	cmd.Flags().StringVar(&file, "file", "", "read the answer from `F`, - for standard input")
	cmd.Flags().BoolVar(&approve, "approve", false, "allow the irreversible operations of the task")
	cmd.MarkFlagsMutuallyExclusive("text", "file")
	return cmd
}

func (a *app) retryCommand() *cobra.Command {
	var rounds int
	var cost string
	cmd := &cobra.Command{
		Use:   "retry ID",
		Short: "Try a task again that was blocked: a follow-up goes on with the history",
		Long: `retry makes a new task, ID-2, that carries the goal, what was tried and the evidence,
with budgets of its own. --add-rounds and --add-cost raise them above loop.yaml's.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.retry(args[0], rounds, cost)
		},
	}
	cmd.Flags().IntVar(&rounds, "add-rounds", 0, "allow `N` rounds more than loop.yaml")
	cmd.Flags().StringVar(&cost, "add-cost", "", "allow `M` US dollars more than loop.yaml, as 2.00")
	return cmd
}

func (a *app) answer(id, text string, approve bool) error {
	if text == "" && !approve {
		return withCode(exitUsage, errors.New("give an answer with --text or --file, or --approve"))
	}
	return a.followUp(id, record.FollowUp{Verb: record.Answer, Answer: text, Approve: approve})
}

func (a *app) retry(id string, rounds int, cost string) error {
	f := record.FollowUp{Verb: record.Retry, AddRounds: rounds}
	var err error
	if cost != "" {
		f.AddCost, err = unit.ParseMoney(cost)
	}
	if err == nil && rounds < 0 {
		err = errors.New("--add-rounds takes a positive number")
	}
	if err != nil {
		return withCode(exitUsage, err)
	}
	return a.followUp(id, f)
}

const maxAnswer = 1 << 20

func (a *app) answerText(text, file string) (string, error) {
	if file == "" {
		return strings.TrimSpace(text), nil
	}
	in := a.stdin
	if file != "-" {
		f, err := os.Open(a.path(file))
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		err = fmt.Errorf("%s is larger than 1 MiB", file)
	}
	return strings.TrimSpace(string(data)), err
}

// followUp makes the task that goes on where id ended, and prints its id.
func (a *app) followUp(id string, f record.FollowUp) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	h, err := a.history(id)
	if err != nil {
		return err
	}
	if h.State.Next != round.End {
		return withCode(exitUsage, fmt.Errorf("%s has not ended: it is %s", id, record.NewStateView(h.State, h.Head).Phase))
	}
	if h.State.Decision.Kind == task.Completed {
		return withCode(exitUsage, fmt.Errorf("%s is done: a change to it is a new task", id))
	}
	next, data, err := a.nextTask(cfg, h.State)
	if err != nil {
		return err
	}
	f.ID, f.Of, f.At = next, id, a.now().UTC()
	dir, err := fsx.Open(filepath.Join(cfg.Dir, loop.LoopDir))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := record.RequestFollowUp(dir, f); err != nil {
		return err
	}
	return a.publish(cfg.Dir, next, data)
}

// nextTask is the file of the follow-up: the same task under the next id of its
// line that is free.
func (a *app) nextTask(cfg config.Config, s round.State) (id string, data []byte, err error) {
	root := s.Task.ID
	if f := s.Claimed.FollowUp; f != nil {
		root = f.Root
	}
	look, err := a.look()
	if err != nil {
		return "", nil, err
	}
	defer look.close()
	for n := 2; ; n++ {
		id = root + "-" + strconv.Itoa(n)
		if taken, err := look.taken(id); err != nil {
			return "", nil, err
		} else if !taken {
			break
		}
	}
	if code, msg := task.CheckID(id); code != "" {
		return "", nil, withCode(exitUsage, fmt.Errorf("%s can have no follow-up: %s", root, msg))
	}
	t := s.Task
	t.ID, t.Refs = id, append(append([]string(nil), t.Refs...), s.Task.ID)
	if data, err = json.MarshalIndent(t, "", "  "); err != nil {
		return "", nil, err
	}
	_, faults := task.Parse(data, id)
	if len(faults) > 0 {
		a.faults(faults)
		return "", nil, withCode(exitBadTask, fmt.Errorf("the follow-up of %s would be no valid task", s.Task.ID))
	}
	return id, append(data, '\n'), nil
}
