package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The names begin with the row of the list of bad inputs that they prove.
func TestBadFiles(t *testing.T) {
	tests := map[string]struct {
		data string
		want []string // LINE:COL CODE FIELD
	}{
		"59 an empty file":                           {"", []string{"1:1 empty"}},
		"59 only comments":                           {"# nothing\n\n# yet\n", []string{"1:1 empty"}},
		"59 a document without content":              {"---\n", []string{"1:1 empty"}},
		"59 null":                                    {"null\n", []string{"1:1 empty"}},
		"59 no mapping":                              {"- a\n", []string{"1:1 not_an_object"}},
		"60 a section given twice":                   {enough("queue: {}\nqueue: {}\n"), []string{"3:1 duplicate_key queue"}},
		"60 a key given twice":                       {enough("stop:\n  max_tries: 1\n  max_tries: 2\n"), []string{"4:3 duplicate_key stop.max_tries"}},
		"60 a key given twice in one line":           {enough("stop: {max_tries: 1, max_tries: 2}\n"), []string{"2:22 duplicate_key stop.max_tries"}},
		"60 a profile given twice":                   {"verification: {profiles: {unit: [{run: [a]}], unit: [{run: [b]}]}}", []string{"1:47 duplicate_key verification.profiles.unit"}},
		"61 an unknown section":                      {enough("hook: {}\n"), []string{"2:1 unknown_key hook"}},
		"61 an unknown key":                          {enough("stop: {max_round: 1}\n"), []string{"2:8 unknown_key stop.max_round"}},
		"61 a key in another case":                   {enough("stop: {Max_Tries: 1}\n"), []string{"2:8 key_case stop.Max_Tries"}},
		"61 keys of one's own are not kept here":     {enough("x-team: a\n"), []string{"2:1 unknown_key x-team"}},
		"62 a second document":                       {enough("---\nqueue: {}\n"), []string{"2:1 trailing_data"}},
		"62 an empty second document":                {enough("---\n"), []string{"2:1 trailing_data"}},
		"62 text after the end of the document":      {enough("...\nqueue: {}\n"), []string{"3:1 trailing_data"}},
		"63 an anchor and its alias":                 {enough("stop: &s {max_tries: 1}\nqueue: *s\n"), []string{"2:7 alias stop", "3:8 alias queue"}},
		"63 an anchor that contains itself":          {enough("engine: &e {e: *e}\n"), []string{"2:9 alias engine"}},
		"63 an anchor bomb":                          {"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n" + enough(""), []string{"1:1 unknown_key a", "1:4 alias a", "2:1 unknown_key b", "2:4 alias b", "3:1 unknown_key c", "3:4 alias c"}},
		"63 an anchor on a key":                      {enough("&k queue: {}\n"), []string{"2:1 syntax"}},
		"63 the whole file is an anchor":             {"&a {queue: {}}\n", []string{"1:1 alias"}},
		"64 a merge key":                             {enough("stop:\n  <<: {max_tries: 1}\n"), []string{"3:3 alias stop"}},
		"65 a tag of YAML":                           {enough("stop: {max_tries: !!int 3}\n"), []string{"2:19 tag stop.max_tries"}},
		"65 binary":                                  {enough("land: {branch: !!binary aGk=}\n"), []string{"2:16 tag land.branch"}},
		"65 a tag of another program":                {enough("land: {branch: !!python/object x}\n"), []string{"2:16 tag land.branch"}},
		"65 a tag of one's own":                      {enough("queue: !mine {}\n"), []string{"2:8 tag queue"}},
		"65 the empty tag":                           {enough("stop: {max_tries: ! 3}\n"), []string{"2:19 tag stop.max_tries"}},
		"65 a tag on a key":                          {enough("!!str queue: {}\n"), []string{"2:1 syntax"}},
		"66 yes for a truth":                         {enough("generator: {resume: yes}\n"), []string{"2:21 wrong_type generator.resume"}},
		"66 on for a truth":                          {enough("workspace: {allow_network_fs: on}\n"), []string{"2:31 wrong_type workspace.allow_network_fs"}},
		"66 True for a truth":                        {enough("generator: {resume: True}\n"), []string{"2:21 wrong_type generator.resume"}},
		"66 a quoted truth":                          {enough("generator: {resume: \"true\"}\n"), []string{"2:21 wrong_type generator.resume"}},
		"67 an octal number":                         {enough("stop: {max_tries: 010}\n"), []string{"2:19 not_plain_number stop.max_tries"}},
		"67 another octal number":                    {enough("stop: {max_tries: 0o10}\n"), []string{"2:19 not_plain_number stop.max_tries"}},
		"67 a hexadecimal number":                    {enough("stop: {max_tries: 0x10}\n"), []string{"2:19 not_plain_number stop.max_tries"}},
		"67 an underscore in a number":               {enough("stop: {max_tries: 1_000}\n"), []string{"2:19 not_plain_number stop.max_tries"}},
		"67 an exponent":                             {enough("stop: {max_tries: 1e3}\n"), []string{"2:19 not_plain_number stop.max_tries"}},
		"67 a plus sign":                             {enough("stop: {max_tries: +3}\n"), []string{"2:19 not_plain_number stop.max_tries"}},
		"68 a time of a clock":                       {enough("stop: {deadline: 1:30}\n"), []string{"2:18 bad_value stop.deadline"}},
		"68 a time without a unit":                   {enough("stop: {deadline: 90}\n"), []string{"2:18 bad_value stop.deadline"}},
		"68 days":                                    {enough("stop: {deadline: 1d}\n"), []string{"2:18 bad_value stop.deadline"}},
		"69 a fraction as version":                   {enough("version: 1.10\n"), []string{"2:10 not_plain_number version"}},
		"69 a quoted version":                        {enough("version: \"1\"\n"), []string{"2:10 wrong_type version"}},
		"70 a tab for indentation":                   {enough("stop:\n\tmax_tries: 1\n"), []string{"3:1 control"}},
		"70 a tab behind spaces":                     {enough("stop:\n  \tmax_tries: 1\n"), []string{"3:3 control"}},
		"70 NUL":                                     {enough("queue: \x00\n"), []string{"2:8 control"}},
		"70 a control character":                     {enough("land: {branch: \"a\x1b\"}\n"), []string{"2:18 control"}},
		"70 invalid UTF-8":                           {enough("land: {branch: \"caf\xe9\"}\n"), []string{"2:20 not_utf8"}},
		"70 UTF-16":                                  {"\xff\xfeq\x00", []string{"1:1 utf16"}},
		"71 twenty thousand brackets":                {strings.Repeat("[", 20_000), []string{"1:1 syntax"}},
		"71 nested 33 deep":                          {enough("engine: {a: " + strings.Repeat("[", 33) + strings.Repeat("]", 33) + "}\n"), []string{"2:43 too_deep engine.a" + strings.Repeat("[0]", 30)}},
		"71 a file of 300 KB":                        {enough("# " + strings.Repeat("x", 300<<10)), []string{"1:1 too_large"}},
		"73 a line for the shell in place of a list": {enough("generator: {command: sh -c ./agent.sh}\n"), []string{"2:22 wrong_type generator.command"}},
		"73 a command without a word":                {enough("generator: {command: []}\n"), []string{"2:22 empty_value generator.command"}},
		"73 a command without a name":                {enough("generator: {command: [\"\", a]}\n"), []string{"2:23 empty_value generator.command[0]"}},
		"73 a command with a list in it":             {enough("generator: {command: [a, [b]]}\n"), []string{"2:26 wrong_type generator.command[1]"}},
		"75 trees inside .loop":                      {enough("workspace: {dir: .loop/trees}\n"), []string{"2:18 conflict workspace.dir"}},
		"75 trees inside tasks":                      {enough("workspace: {dir: tasks}\n"), []string{"2:18 conflict workspace.dir"}},
		"75 trees inside the checkout":               {enough("workspace: {dir: ./trees}\n"), []string{"2:18 conflict workspace.dir"}},
		"75 trees are the checkout":                  {enough("workspace: {dir: /repo}\n"), []string{"2:18 conflict workspace.dir"}},
		"75 metrics inside tasks":                    {enough("metrics: {textfile_dir: tasks/done}\n"), []string{"2:25 conflict metrics.textfile_dir"}},
		"75 metrics inside the trees":                {enough("workspace: {dir: /t}\nmetrics: {textfile_dir: /t/m}\n"), []string{"3:25 conflict metrics.textfile_dir"}},
		"75 hidden checks inside the checkout":       {"verification: {profiles: {u: [{run: [a], hidden: hidden}]}}", []string{"1:50 conflict verification.profiles.u[0].hidden"}},
		"75 hidden checks inside the trees":          {"workspace: {dir: /t}\nverification: {profiles: {u: [{run: [a], hidden: /t/h}]}}", []string{"2:50 conflict verification.profiles.u[0].hidden"}},
		"75 trees inside hidden checks":              {"workspace: {dir: /h/t}\nverification: {profiles: {u: [{run: [a], hidden: /h}]}}", []string{"1:18 conflict workspace.dir"}},
		"75 a sandbox that opens .loop":              {enough("sandbox: {write: [\"/\", .loop/x, /repo, /tmp]}\n"), []string{"2:19 conflict sandbox.write[0]", "2:24 conflict sandbox.write[1]", "2:33 conflict sandbox.write[2]"}},
		"75 a sandbox that shows hidden checks":      {"sandbox: {read: [/h]}\nverification: {profiles: {u: [{run: [a], hidden: /h/u}]}}", []string{"1:18 conflict sandbox.read[0]"}},
		"75 git's own folder is shared":              {enough("workspace: {share: [.git, tasks/x, .loop]}\n"), []string{"2:21 bad_path workspace.share[0]", "2:27 bad_path workspace.share[1]", "2:36 bad_path workspace.share[2]"}},
		"a bracket left open":                        {enough("stop: {max_tries: 1\nqueue: {}\n"), []string{"2:1 syntax"}},
		"a quote left open":                          {enough("land: {branch: 'x}\n"), []string{"2:1 syntax"}},
		"a newer version, and nothing of the rest":   {"version: 2\nbudget: 3\n", []string{"1:10 newer_schema version"}},
		"version 0":                                  {enough("version: 0\n"), []string{"2:10 out_of_range version"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, faults := Parse("/repo/loop.yaml", []byte(tt.data))
			if diff := cmp.Diff(tt.want, places(faults)); diff != "" {
				t.Errorf("Parse faults differ (-want +got):\n%s%v", diff, faults)
			}
		})
	}
}
