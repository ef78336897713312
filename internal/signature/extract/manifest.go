package extract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/signature"
)

// A Sample is one entry of a manifest: the output of one run of a tool, and
// the group of runs that must get the same signature.
type Sample struct {
	Tool       string   `json:"tool"`
	Argv       []string `json:"argv"`
	Sample     string   `json:"sample"`
	ExitCode   int      `json:"exit_code"`
	Stdout     string   `json:"stdout"` // files, relative to the manifest
	Stderr     string   `json:"stderr"`
	Report     string   `json:"report,omitempty"`
	ReportPath string   `json:"report_path,omitempty"`
	Format     string   `json:"format,omitempty"`
	Cwd        string   `json:"cwd,omitempty"`
	Group      string   `json:"group"`
	Level      string   `json:"level"` // must or should
	Note       string   `json:"note,omitempty"`
}

// groupPass marks runs that passed: they have no signature.
const groupPass = "pass"

// ReadManifest reads the list of samples.
func ReadManifest(data []byte) ([]Sample, error) {
	var list []Sample
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	for i, s := range list {
		if s.Tool == "" || s.Sample == "" || s.Group == "" || s.Level != "must" && s.Level != "should" {
			return nil, fmt.Errorf("read manifest: entry %d: tool, sample, group or level is missing or wrong", i+1)
		}
	}
	return list, nil
}

// Output is what the sample's command left behind; report is nil for a sample
// without one.
func (s Sample) Output(stdout, stderr, report []byte) Output {
	return Output{
		Argv: s.Argv, ExitCode: s.ExitCode, Stdout: stdout, Stderr: stderr, Report: report, Format: s.Format,
		WorkTree: []string{s.Cwd},
	}
}

// Judged is a sample with what was made of it.
type Judged struct {
	Sample
	Signature signature.Signature // empty if the run passed
	PathTaken string
	Failures  []signature.Failure
	Tests     signature.Tests
	Bare      bool
}

// Judge extracts the output of a sample and signs it.
func Judge(s Sample, out Output) Judged {
	r := Extract(out)
	j := Judged{Sample: s, PathTaken: r.Check.PathTaken, Failures: r.Check.Failures, Tests: r.Check.Tests, Bare: r.Bare}
	if r.Check.ExitCode != 0 {
		j.Signature = signature.Of(signature.Evidence{Checks: []signature.Check{r.Check}, Masks: signature.Sum(out.Masks)})
	}
	return j
}

// A Conflict is a group that got several signatures, a signature that several
// groups got, or a run that passes against its group.
type Conflict struct {
	Kind    string   `json:"kind"` // split, merged or passes
	Level   string   `json:"level"`
	Tool    string   `json:"tool"`
	Groups  []string `json:"groups"`
	Samples []string `json:"samples"` // one of each side
}

// Score counts pairs of samples of one tool.
type Score struct {
	Groups       int `json:"groups"`        // with one signature each, and none that another group has
	GroupsOf     int `json:"groups_of"`     // all
	Same         int `json:"same"`          // pairs of one group with one signature
	SameOf       int `json:"same_of"`       // all pairs of one group
	Different    int `json:"different"`     // pairs of two groups with two signatures
	DifferentOf  int `json:"different_of"`  // all pairs of two groups
	FallbackOnly int `json:"fallback_only"` // failing samples that no tool recognised
}

// Report is how well a manifest's groups were met. Must counts pairs of two
// samples of level must, Should all others.
type Report struct {
	Must      Score      `json:"must"`
	Should    Score      `json:"should"`
	Conflicts []Conflict `json:"conflicts"`
}

// Right reports whether every group of level must is met.
func (r Report) Right() bool {
	return !slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.Level == "must" })
}

// Compare holds the signatures of samples against their groups, tool by tool.
func Compare(samples []Judged) Report {
	var r Report
	for _, s := range samples {
		if s.PathTaken == pathFallback {
			r.score(s.Level).FallbackOnly++
		}
	}
	byTool := map[string][]Judged{}
	for _, s := range samples {
		byTool[s.Tool] = append(byTool[s.Tool], s)
	}
	for _, list := range byTool {
		r.pairs(list)
		r.groups(list)
	}
	slices.SortFunc(r.Conflicts, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Tool, b.Tool), slices.Compare(a.Samples, b.Samples))
	})
	return r
}

func (r *Report) score(level string) *Score {
	if level == "must" {
		return &r.Must
	}
	return &r.Should
}

// pairs compares every two failing samples of a tool.
func (r *Report) pairs(list []Judged) {
	told := map[string]bool{}
	for i, a := range list {
		if passes := a.Signature.Hash == ""; passes != (a.Group == groupPass) {
			r.Conflicts = append(r.Conflicts, conflict("passes", a.Level, a, a))
		}
		for _, b := range list[i+1:] {
			if a.Group == groupPass || b.Group == groupPass {
				continue
			}
			level := "must"
			if a.Level != "must" || b.Level != "must" {
				level = "should"
			}
			kind := r.score(level).pair(a, b)
			key := strings.Join([]string{kind, level, a.Group, b.Group}, "\x00")
			if kind != "" && !told[key] {
				told[key] = true
				r.Conflicts = append(r.Conflicts, conflict(kind, level, a, b))
			}
		}
	}
}

// pair counts one pair and gives the kind of conflict, if it is one.
func (s *Score) pair(a, b Judged) string {
	same := a.Signature.Same(b.Signature)
	if a.Group == b.Group {
		s.SameOf++
		if !same {
			return "split"
		}
		s.Same++
		return ""
	}
	s.DifferentOf++
	if same {
		return "merged"
	}
	s.Different++
	return ""
}

func conflict(kind, level string, a, b Judged) Conflict {
	groups := []string{a.Group}
	if b.Group != a.Group {
		groups = append(groups, b.Group)
	}
	return Conflict{Kind: kind, Level: level, Tool: a.Tool, Groups: groups, Samples: []string{a.Sample.Sample, b.Sample.Sample}}
}

// groups counts the groups of a tool whose samples of level must all have one
// signature that no other group has; a group with none of that level counts
// under Should.
func (r *Report) groups(list []Judged) {
	owners := map[string]map[string]bool{} // signature: groups
	members := map[string][]Judged{}
	level := map[string]string{}
	for _, s := range list {
		if s.Group == groupPass {
			continue
		}
		if owners[s.Signature.Hash] == nil {
			owners[s.Signature.Hash] = map[string]bool{}
		}
		owners[s.Signature.Hash][s.Group] = true
		if s.Level == "must" || level[s.Group] == "" {
			level[s.Group] = s.Level
		}
		members[s.Group] = append(members[s.Group], s)
	}
	for name, group := range members {
		score := r.score(level[name])
		score.GroupsOf++
		if oneSignature(group, level[name]) && alone(group, owners) {
			score.Groups++
		}
	}
}

func oneSignature(group []Judged, level string) bool {
	hash := ""
	for _, s := range group {
		if s.Level != level {
			continue
		}
		if hash != "" && s.Signature.Hash != hash {
			return false
		}
		hash = s.Signature.Hash
	}
	return true
}

func alone(group []Judged, owners map[string]map[string]bool) bool {
	for _, s := range group {
		if len(owners[s.Signature.Hash]) > 1 {
			return false
		}
	}
	return true
}
