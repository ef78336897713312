package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestACrontabLineSurvivesEveryCharacter(t *testing.T) {
	tests := map[string]struct {
		call call
		want string
	}{
		"plain paths are left plain": {
			call{program: "/usr/bin/looprun", dir: "/home/u/repo", env: [][2]string{{"PATH", "/usr/bin:/bin"}}},
			"*/5 * * * * cd /home/u/repo && mkdir -p .loop && PATH=/usr/bin:/bin /usr/bin/looprun run --if-busy skip >>.loop/cron.log 2>&1\n",
		},
		"spaces and quotes are quoted, and % does not end the line": {
			call{program: "/opt/it's/looprun", dir: "/home/u/100% mine", args: []string{"--config", "/c d.yaml"}},
			`*/5 * * * * cd '/home/u/100\% mine' && mkdir -p .loop && '/opt/it'\''s/looprun' --config '/c d.yaml' run --if-busy skip >>.loop/cron.log 2>&1` + "\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.call.crontab(5); got != test.want {
				t.Errorf("crontab = %s; want %s", got, test.want)
			}
		})
	}
}

func TestUnitsQuoteWhatSystemdWouldRead(t *testing.T) {
	c := call{program: "/opt/a b/looprun", dir: "/srv/50%", env: [][2]string{{"PATH", `/opt/"x"`}, {"XDG_STATE_HOME", "/s$t"}}}
	got := strings.Split(c.service(), "\n")
	for _, want := range []string{
		"WorkingDirectory=/srv/50%%",
		`Environment="PATH=/opt/\"x\""`,
		"Environment=XDG_STATE_HOME=/s$t", // nothing is expanded there
		`ExecStart="/opt/a b/looprun" run --if-busy skip`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("service has no line %s:\n%s", want, strings.Join(got, "\n"))
		}
	}
}

func TestPathWithoutWhatDependsOnTheCurrentFolder(t *testing.T) {
	if got, want := absolutePath("/usr/bin::bin:./x:/bin"), "/usr/bin:/bin"; got != want {
		t.Errorf("absolutePath = %q; want %q", got, want)
	}
}
