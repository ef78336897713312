package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/verify"
	"looprun.dev/looprun/internal/workspace"
)

// ErrNoDrill is the error of Drill where tasks work in the checkout itself:
// nothing may be planted there.
var ErrNoDrill = errors.New("a drill needs trees of its own: workspace.mode is in_place")

// A Drilled is one fault that was planted, and what became of it.
type Drilled struct {
	Fault   string   // what was planted, and where
	Want    string   // the rule that is to catch it
	Got     []string // the rules that did
	Caught  bool
	Skipped string // why it could not be planted; such a fault is not passed
}

// The rules of a drill beside the codes of boundary errors.
const (
	accepted  = "accepted"
	checksRed = "checks differ"
)

// Drill plants faults in a copy of the repository, one after another, and one
// change that harms nothing, and tells which rule caught each. It takes away
// what it made.
func (l *Loop) Drill(ctx context.Context, told func(Drilled)) (err error) {
	if l.cfg.Workspace.Mode == config.InPlace {
		return ErrNoDrill
	}
	d, err := l.newDrill(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.end(context.WithoutCancel(ctx))) }()
	for _, p := range d.plants() {
		result := Drilled{Fault: p.fault, Want: p.want, Skipped: p.skip}
		if p.skip == "" {
			if result.Got, err = d.try(ctx, p); err != nil {
				return fmt.Errorf("drill %q: %w", p.fault, err)
			}
			result.Caught = slices.Contains(result.Got, p.want)
		}
		told(result)
	}
	return d.emptied(ctx, told)
}

// A drill is what faults are planted in.
type drill struct {
	*Loop
	space   *workspace.Space
	base    string
	builtin verify.Builtin
	rules   verify.Rules
	own     fsx.Scratch               // holds all that the drill makes
	said    map[string]round.Evidence // by each profile of the base
	runs    int                       // of profiles
	commits int

	file string // a text that a candidate may change, "" if there is none
	spot string // a new file beside it, without its ending
	ext  string
}

func (l *Loop) newDrill(ctx context.Context) (*drill, error) {
	d := &drill{Loop: l, said: map[string]round.Evidence{}}
	var err error
	if d.own, err = fsx.Scratch(l.stateRoot()).MkdirTemp("drill-"); err != nil {
		return nil, err
	}
	if err := d.begin(ctx); err != nil {
		return nil, errors.Join(err, d.end(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// begin opens a space of the drill's own, with trees, objects and candidates
// apart from those of tasks.
func (d *drill) begin(ctx context.Context) error {
	l := d.Loop
	o := l.spaceOptions(0)
	o.Loop, o.Dir = d.own.Path(""), d.own.Path("trees")
	var err error
	if d.space, err = workspace.Open(ctx, o); err != nil {
		return err
	}
	if l.sandbox.abi > 0 {
		d.space.Confine(l.checkSandbox(nil), l.checkEnviron())
	}
	if d.base, _, err = d.space.Base(ctx); err != nil {
		return err
	}
	files, err := d.space.Files(ctx, d.base)
	if err != nil {
		return err
	}
	d.builtin = verify.NewBuiltin(config.FileName, l.cfg.Verification.Profiles, files)
	d.rules = verify.NewRules(l.cfg.Boundary, d.builtin)
	if err := d.space.Prepare(ctx, "drill", d.base); err != nil {
		return err
	}
	d.choose()
	return nil
}

func (d *drill) end(ctx context.Context) error {
	var err error
	if d.space != nil {
		err = d.space.Remove(ctx)
	}
	return errors.Join(err, d.own.RemoveAll(""))
}

// choose finds the first text of the base that a candidate may change.
func (d *drill) choose() {
	for _, name := range d.builtin.Base {
		data, err := os.ReadFile(filepath.Join(d.space.Dir(), filepath.FromSlash(name)))
		if err != nil || !d.rules.MayChange(name) || strings.Contains(string(data), "\x00") {
			continue
		}
		d.ext = path.Ext(name)
		d.file, d.spot = name, path.Join(path.Dir(name), "looprun_drill")
		if d.rules.MayChange(d.spot + d.ext) {
			return
		}
	}
}

// try plants p in a clean tree and returns the rules that object.
func (d *drill) try(ctx context.Context, p plant) ([]string, error) {
	if err := d.space.Reset(ctx); err != nil {
		return nil, err
	}
	if err := p.make(fsx.Scratch(d.space.Dir())); err != nil {
		return nil, err
	}
	snap, err := d.space.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if errs := verify.Boundary(d.cfg.Boundary, d.builtin, candidate(snap)); len(errs) > 0 {
		return codes(errs), nil
	}
	d.commits++
	commit, err := d.space.Commit(ctx, snap, workspace.Meta{Task: "drill", Title: p.fault, Round: d.commits, Try: 1, At: d.opts.Now()})
	if err != nil {
		return nil, err
	}
	patch, err := d.space.Patch(ctx, commit)
	if err != nil {
		return nil, err
	}
	if errs := verify.Secrets(patch, d.secretValues()); len(errs) > 0 {
		return codes(errs), nil
	}
	return d.judge(ctx, commit)
}

func codes(errs []signature.BoundaryError) (all []string) {
	for _, e := range errs {
		if !slices.Contains(all, e.Code) {
			all = append(all, e.Code)
		}
	}
	return all
}

// judge is accepted where every profile says of a commit what it says of the
// base.
func (d *drill) judge(ctx context.Context, commit string) ([]string, error) {
	for _, name := range d.profiles() {
		was, err := d.ofBase(ctx, name)
		if err != nil {
			return nil, err
		}
		dir, err := d.space.CheckTree(ctx, commit, nil)
		if err != nil {
			return nil, err
		}
		now, err := d.check(ctx, dir, name)
		if err != nil {
			return nil, err
		}
		if !alike(was, now) {
			return []string{checksRed + ": " + name}, nil
		}
	}
	return []string{accepted}, nil
}

func alike(a, b round.Evidence) bool {
	return a.Passed() == b.Passed() && (a.Passed() || signature.Of(a.Visible()).Same(signature.Of(b.Visible())))
}

func (d *drill) profiles() []string { return slices.Sorted(maps.Keys(d.cfg.Verification.Profiles)) }

// ofBase is what a profile says of the base; it is asked once.
func (d *drill) ofBase(ctx context.Context, name string) (round.Evidence, error) {
	if ev, ok := d.said[name]; ok {
		return ev, nil
	}
	dir, err := d.space.CheckTree(ctx, d.base, nil)
	if err != nil {
		return round.Evidence{}, err
	}
	ev, err := d.check(ctx, dir, name)
	d.said[name] = ev
	return ev, err
}

func (d *drill) check(ctx context.Context, dir, name string) (round.Evidence, error) {
	d.runs++
	job := d.bareJob(name, d.own.Path(fmt.Sprintf("run-%d", d.runs)))
	job.Dir, job.SkipHidden = dir, true
	return verify.Runner{}.Run(ctx, job)
}

// emptied takes the contents of everything that a candidate may change away:
// each profile must say something else than of the base.
func (d *drill) emptied(ctx context.Context, told func(Drilled)) error {
	for _, name := range d.profiles() {
		result := Drilled{Fault: "the sources emptied, for " + name, Want: checksRed}
		if reason, ok := d.cfg.Verification.CanarySkip[name]; ok {
			result.Skipped = "verification.canary_skip: " + reason
			told(result)
			continue
		}
		was, err := d.ofBase(ctx, name)
		if err != nil {
			return err
		}
		dir, err := d.space.CheckTree(ctx, d.base, nil)
		if err == nil {
			err = d.empty(fsx.Scratch(dir))
		}
		if err != nil {
			return err
		}
		now, err := d.check(ctx, dir, name)
		if err != nil {
			return err
		}
		if result.Caught = !alike(was, now); result.Caught {
			result.Got = []string{checksRed}
		}
		told(result)
	}
	return nil
}

func (d *drill) empty(tree fsx.Scratch) error {
	for _, name := range d.builtin.Base {
		file := filepath.FromSlash(name)
		info, err := os.Lstat(tree.Path(file))
		if err != nil || !info.Mode().IsRegular() || !d.rules.MayChange(name) {
			continue
		}
		if err := tree.WriteFile(file, nil); err != nil {
			return err
		}
	}
	return nil
}
