package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/unit"
)

// reference is the example that the documentation of task files gives.
const reference = `{"id": "issue-005", "title": "Search ignores diacritics", "goal": "garcia marquez must find García Márquez ...",
 "verify": ["diacritic-search"], "allow": ["src/**"], "protect": [], "limits": {"max_rounds": 3, "max_changed_lines": 40, "cost_usd": "2.00"},
 "after": ["issue-004"], "refs": [], "priority": 0, "not_before": "2026-12-01T02:00:00Z", "operations": [], "context": ["docs/search.md"], "x-note": "kept"}`

func TestParseReadsEveryMember(t *testing.T) {
	got, faults := Parse([]byte(reference), "issue-005")
	want := Task{
		ID: "issue-005", Title: "Search ignores diacritics", Goal: "garcia marquez must find García Márquez ...",
		Verify: []string{"diacritic-search"}, Allow: []string{"src/**"},
		Limits: Limits{MaxRounds: 3, MaxChangedLines: 40, Cost: 2_000_000},
		After:  []string{"issue-004"}, NotBefore: time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC),
		Context: []string{"docs/search.md"}, Extra: map[string]json.RawMessage{"x-note": json.RawMessage(`"kept"`)},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(faults) > 0 {
		t.Errorf("Parse(reference) = %v, differs (-want +got):\n%s", faults, diff)
	}
}

func TestParseReadsEveryLimit(t *testing.T) {
	got, faults := Parse([]byte(`{"schema": "looprun.task/1", "id": "t", "goal": "g", "limits": {"max_rounds": 1, "same_failure_limit": 2, "max_tries": 3,
		"wall_clock": "90s", "deadline": "24h", "max_tokens": 4000000000, "cost_usd": "0.50", "max_changed_files": 5, "max_changed_lines": 6, "max_bytes": "4MiB"},
		"priority": -7, "not_before": "2026-12-01T02:00:00+02:00"}`), "t")
	want := Task{
		Schema: Schema, ID: "t", Goal: "g", Priority: -7, NotBefore: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		Limits: Limits{
			MaxRounds: 1, SameFailure: 2, MaxTries: 3, WallClock: unit.Duration(90 * time.Second), Deadline: unit.Duration(24 * time.Hour),
			MaxTokens: 4_000_000_000, Cost: 500_000, MaxChangedFiles: 5, MaxChangedLines: 6, MaxBytes: 4 << 20,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(faults) > 0 {
		t.Errorf("Parse = %v, differs (-want +got):\n%s", faults, diff)
	}
}

// with is a good task with one member more.
func with(member string) string { return `{"id": "t", "goal": "g", ` + member + `}` }

func deep(levels int) string {
	return with(`"x-deep": ` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1))
}

// The names begin with the row of the list of bad inputs that they prove.
func TestBadTaskFiles(t *testing.T) {
	tests := map[string]struct {
		data string
		want []string // LINE:COL CODE FIELD
	}{
		"1 an empty file":                               {"", []string{"1:1 empty"}},
		"2 only white space":                            {" \n\t\r\n ", []string{"1:1 empty"}},
		"3 JSON cut in a string":                        {`{"id": "t", "goal": "fix th`, []string{"1:28 truncated"}},
		"3 JSON cut after a comma":                      {`{"id": "t",`, []string{"1:12 truncated"}},
		"3 JSON cut after a colon":                      {"{\"id\": \"t\",\n \"goal\":", []string{"2:9 truncated"}},
		"3 JSON cut in a word":                          {`{"x-a": tru`, []string{"1:12 truncated"}},
		"3 JSON cut in a number":                        {`{"priority": -`, []string{"1:15 truncated"}},
		"3 JSON cut after a backslash":                  {`{"id": "\`, []string{"1:10 truncated"}},
		"3 JSON cut in an escape":                       {`{"id": "\u00`, []string{"1:13 truncated"}},
		"3 JSON cut between the halves of a pair":       {`{"id": "\ud83d\u`, []string{"1:17 truncated"}},
		"3 JSON cut in the middle of a character":       {"{\"goal\": \"caf\xc3", []string{"1:14 truncated"}},
		"7 trailing garbage":                            {`{"id": "t", "goal": "g"} x`, []string{"1:26 trailing_data"}},
		"8 two documents":                               {"{\"id\": \"t\", \"goal\": \"g\"}\n{}", []string{"2:1 trailing_data"}},
		"9 one document a line":                         {"{\"id\": \"t\", \"goal\": \"g\"}\n{\"id\": \"u\"}\n{", []string{"2:1 trailing_data"}},
		"10 null at the top":                            {"null", []string{"1:1 not_an_object"}},
		"11 a list at the top":                          {`[{"id": "t", "goal": "g"}]`, []string{"1:1 not_an_object"}},
		"11 a string at the top":                        {` "t"`, []string{"1:2 not_an_object"}},
		"11 a number at the top":                        {"12", []string{"1:1 not_an_object"}},
		"12 a key given twice":                          {"{\"id\": \"t\", \"goal\": \"g\",\n\"goal\": \"h\"}", []string{"2:1 duplicate_key goal"}},
		"12 a key given twice by an escape":             {with(`"\u0067oal": "h"`), []string{"1:26 duplicate_key goal"}},
		"12 a key given twice inside limits":            {with(`"limits": {"max_rounds": 1, "max_rounds": 2}`), []string{"1:54 duplicate_key limits.max_rounds"}},
		"12 a key given twice inside an extra member":   {with(`"x-a": [{"b": 1, "b": 2}]`), []string{"1:43 duplicate_key x-a[0].b"}},
		"13 a key in another case":                      {with(`"Title": "x"`), []string{"1:26 key_case Title"}},
		"13 keys that differ in case only":              {with(`"ID": "t"`), []string{"1:26 key_case ID"}},
		"13 a required key in another case":             {`{"Id": "t", "goal": "g"}`, []string{"1:1 missing_key id", "1:2 key_case Id"}},
		"14 an unknown key":                             {with(`"promt": "x"`), []string{"1:26 unknown_key promt"}},
		"14 an unknown limit":                           {with(`"limits": {"rounds": 1}`), []string{"1:37 unknown_key limits.rounds"}},
		"14 an extra member has no place in limits":     {with(`"limits": {"x-a": 1}`), []string{"1:37 unknown_key limits.x-a"}},
		"14 a prefix alone is no name":                  {with(`"x-": 1`), []string{"1:26 unknown_key x-"}},
		"14 an upper case prefix":                       {with(`"X-note": 1`), []string{"1:26 unknown_key X-note"}},
		"15 all missing keys at once":                   {`{"title": "x"}`, []string{"1:1 missing_key id", "1:1 missing_key goal"}},
		"16 null for a required key":                    {`{"id": null, "goal": "g"}`, []string{"1:8 null_value id"}},
		"16 null for any other key":                     {with(`"verify": null, "limits": {"max_tries": null}`), []string{"1:36 null_value verify", "1:66 null_value limits.max_tries"}},
		"16 null in a list":                             {with(`"verify": [null]`), []string{"1:37 wrong_type verify[0]"}},
		"17 a wrong type":                               {with(`"verify": "unit"`), []string{"1:36 wrong_type verify"}},
		"17 a wrong type in a list":                     {with(`"verify": ["unit", 3]`), []string{"1:45 wrong_type verify[1]"}},
		"17 wrong types everywhere":                     {`{"id": 1, "goal": [], "limits": 3, "priority": "1", "not_before": 5, "allow": {}}`, []string{"1:8 wrong_type id", "1:19 wrong_type goal", "1:33 wrong_type limits", "1:48 wrong_type priority", "1:67 wrong_type not_before", "1:79 wrong_type allow"}},
		"17 a quoted number":                            {with(`"limits": {"max_rounds": "3"}`), []string{"1:51 wrong_type limits.max_rounds"}},
		"17 money as a number":                          {with(`"limits": {"cost_usd": 2.00}`), []string{"1:49 wrong_type limits.cost_usd"}},
		"18 1e2 for a whole number":                     {with(`"limits": {"max_rounds": 1e2}`), []string{"1:51 not_plain_number limits.max_rounds"}},
		"18 1.0 for a whole number":                     {with(`"priority": 1.0`), []string{"1:38 not_plain_number priority"}},
		"18 a number out of range":                      {with(`"priority": 1000001`), []string{"1:38 out_of_range priority"}},
		"19 no rounds":                                  {with(`"limits": {"max_rounds": 0}`), []string{"1:51 out_of_range limits.max_rounds"}},
		"19 negative tries":                             {with(`"limits": {"max_tries": -1}`), []string{"1:50 out_of_range limits.max_tries"}},
		"19 a timeout of zero":                          {with(`"limits": {"wall_clock": "0s"}`), []string{"1:51 bad_value limits.wall_clock"}},
		"19 a negative timeout":                         {with(`"limits": {"deadline": "-90s"}`), []string{"1:49 bad_value limits.deadline"}},
		"19 no money":                                   {with(`"limits": {"cost_usd": "0.00"}`), []string{"1:49 bad_value limits.cost_usd"}},
		"19 no bytes":                                   {with(`"limits": {"max_bytes": "0MiB"}`), []string{"1:50 bad_value limits.max_bytes"}},
		"20 a huge number":                              {with(`"limits": {"max_tokens": 99999999999999999999}`), []string{"1:51 out_of_range limits.max_tokens"}},
		"21 NaN":                                        {with(`"priority": NaN`), []string{"1:38 syntax"}},
		"21 minus infinity":                             {with(`"priority": -Infinity`), []string{"1:38 syntax"}},
		"21 a line comment":                             {"{\"id\": \"t\", // the id\n\"goal\": \"g\"}", []string{"1:13 syntax"}},
		"21 a block comment":                            {`/* task */ {"id": "t"}`, []string{"1:1 syntax"}},
		"21 a hash comment":                             {"{\"id\": \"t\"\n# the id\n}", []string{"2:1 syntax"}},
		"21 a comment after the end":                    {`{"id": "t", "goal": "g"} // done`, []string{"1:26 syntax"}},
		"21 a trailing comma in an object":              {`{"id": "t", "goal": "g",}`, []string{"1:24 syntax"}},
		"21 a trailing comma in a list":                 {with(`"verify": ["unit",]`), []string{"1:43 syntax"}},
		"21 single quotes":                              {`{'id': 't'}`, []string{"1:2 syntax"}},
		"21 a name without quotes":                      {`{id: "t"}`, []string{"1:2 syntax"}},
		"21 typographic quotes":                         {`{“id”: "t"}`, []string{"1:2 syntax"}},
		"21 a hexadecimal number":                       {with(`"priority": 0x10`), []string{"1:38 syntax"}},
		"21 a number with a plus":                       {with(`"priority": +1`), []string{"1:38 syntax"}},
		"21 a leading zero":                             {with(`"priority": 010`), []string{"1:38 syntax"}},
		"21 a point without digits":                     {with(`"x-a": 1.`), []string{"1:33 syntax"}},
		"21 two commas":                                 {`{"id": "t",, "goal": "g"}`, []string{"1:12 syntax"}},
		"21 a missing comma":                            {"{\"id\": \"t\"\n\"goal\": \"g\"}", []string{"2:1 syntax"}},
		"21 a missing colon":                            {`{"id" "t"}`, []string{"1:7 syntax"}},
		"21 a raw line break in a string":               {"{\"goal\": \"a\nb\"}", []string{"1:12 syntax"}},
		"21 an escape that JSON has not":                {`{"goal": "\x41"}`, []string{"1:11 syntax"}},
		"22 two byte order marks":                       {"\ufeff\ufeff{}", []string{"1:1 syntax"}},
		"23 UTF-16 with its mark":                       {"\xff\xfe{\x00}\x00", []string{"1:1 utf16"}},
		"23 UTF-16, big endian":                         {"\xfe\xff\x00{\x00}", []string{"1:1 utf16"}},
		"23 UTF-16 without a mark":                      {"{\x00\"\x00i\x00", []string{"1:1 utf16"}},
		"24 invalid UTF-8 in a string":                  {"{\"id\": \"t\",\n\"goal\": \"caf\xe9 au lait\"}", []string{"2:13 not_utf8"}},
		"24 a surrogate written as UTF-8":               {"{\"goal\": \"\xed\xa0\x80\"}", []string{"1:11 not_utf8"}},
		"25 half of a pair":                             {`{"id": "t", "goal": "\ud800"}`, []string{"1:22 lone_surrogate goal"}},
		"25 the second half alone":                      {`{"id": "t", "goal": "x\udc00"}`, []string{"1:23 lone_surrogate goal"}},
		"25 two first halves":                           {`{"id": "t", "goal": "\ud83d\ud83d\ude00"}`, []string{"1:22 lone_surrogate goal"}},
		"25 half of a pair in a key":                    {with(`"x-\ud800": 1`), []string{"1:29 lone_surrogate"}},
		"26 a NUL escape in a string":                   {`{"id": "t", "goal": "a\u0000b"}`, []string{"1:23 nul_escape goal"}},
		"26 a NUL escape in an extra member":            {with(`"x-a": {"b": ["\u0000"]}`), []string{"1:41 nul_escape x-a.b[0]"}},
		"27 a raw NUL byte":                             {"{\"id\": \"t\"\x00}", []string{"1:11 zero_bytes"}},
		"27 a file of zero bytes":                       {strings.Repeat("\x00", 4096), []string{"1:1 zero_bytes"}},
		"27 a task with a tail of zero bytes":           {with(`"x-a": 1`) + "\x00\x00", []string{"1:35 zero_bytes"}},
		"29 more than a mebibyte":                       {strings.Repeat(" ", MaxBytes+1), []string{"1:1 too_large"}},
		"30 nested 33 deep":                             {deep(33), []string{"1:67 too_deep"}},
		"30 nested 10,001 deep":                         {strings.Repeat("[", 10_001), []string{"1:33 too_deep"}},
		"31 a thousand and one members":                 {with(manyMembers(999)), []string{"1:13000 too_many_members"}},
		"31 ten thousand and one items":                 {with(`"x-a": [` + strings.Repeat("1,", 10_000) + `1]`), []string{"1:20034 too_many_members"}},
		"21 a tab in a string":                          {"{\"goal\": \"a\tb\"}", []string{"1:12 syntax"}},
		"21 a control character in a string":            {"{\"goal\": \"a\x01b\"}", []string{"1:12 syntax"}},
		"21 an escape of letters that are no digits":    {`{"goal": "\u00zz"}`, []string{"1:11 syntax"}},
		"21 an exponent with two signs":                 {with(`"x-a": 1e+-5`), []string{"1:33 syntax"}},
		"21 a number with letters":                      {with(`"x-a": 1f`), []string{"1:33 syntax"}},
		"21 a symbol in place of a value":               {with(`"x-a": @`), []string{"1:33 syntax"}},
		"32 an id that leads out":                       {`{"id": "../t", "goal": "g"}`, []string{"1:8 bad_id id"}},
		"34 a device name":                              {`{"id": "con", "goal": "g"}`, []string{"1:8 bad_id id"}},
		"35 an id that is not the name of the file":     {`{"id": "u", "goal": "g"}`, []string{"1:8 id_not_stem id"}},
		"55 a newer schema, and nothing of the rest":    {`{"schema": "looprun.task/2", "id": 5, "budget": {}}`, []string{"1:12 newer_schema schema"}},
		"55 another schema":                             {with(`"schema": "looprun.state/1"`), []string{"1:36 bad_value schema"}},
		"a goal that says nothing":                      {`{"id": "t", "goal": " \n"}`, []string{"1:21 empty_value goal"}},
		"a title of two lines":                          {with(`"title": "a\nLooprun-Task: b"`), []string{"1:35 bad_value title"}},
		"a title that is no text":                       {with(`"title": 5`), []string{"1:35 wrong_type title"}},
		"an empty pattern":                              {with(`"allow": [""]`), []string{"1:36 empty_value allow[0]"}},
		"an empty name in a list":                       {with(`"verify": [""], "refs": [" "]`), []string{"1:37 empty_value verify[0]", "1:51 empty_value refs[0]"}},
		"the same name twice in a list":                 {with(`"verify": ["a", "b", "a"]`), []string{"1:47 duplicate_item verify[2]"}},
		"a list that allows nothing":                    {with(`"allow": []`), []string{"1:35 empty_value allow"}},
		"a pattern that lifts a protection":             {with(`"protect": ["!a"]`), []string{"1:38 bad_glob protect[0]"}},
		"patterns that lead out":                        {with(`"allow": ["/etc/**", "../**", "a/../b", "C:/x", "~/x"]`), []string{"1:36 bad_glob allow[0]", "1:47 bad_glob allow[1]", "1:56 bad_glob allow[2]", "1:66 bad_glob allow[3]", "1:74 bad_glob allow[4]"}},
		"patterns that match nothing":                   {with(`"allow": ["./a", "src/", "a//b", ".", "a\\b"]`), []string{"1:36 bad_glob allow[0]", "1:43 bad_glob allow[1]", "1:51 bad_glob allow[2]", "1:59 bad_glob allow[3]", "1:64 bad_glob allow[4]"}},
		"patterns left open":                            {with(`"allow": ["[a", "{a,b", "a}", "{a}}"]`), []string{"1:36 bad_glob allow[0]", "1:42 bad_glob allow[1]", "1:50 bad_glob allow[2]", "1:56 bad_glob allow[3]"}},
		"a context outside the tree":                    {with(`"context": ["/etc/passwd", "a/./b"]`), []string{"1:38 bad_path context[0]", "1:53 bad_path context[1]"}},
		"a task after itself":                           {with(`"after": ["t"]`), []string{"1:36 cycle after[0]"}},
		"a task after what can be no task":              {with(`"after": ["../x"]`), []string{"1:36 bad_id after[0]"}},
		"a time that is none":                           {with(`"not_before": "tomorrow"`), []string{"1:40 bad_value not_before"}},
		"a time without a zone":                         {with(`"not_before": "2026-12-01T02:00:00"`), []string{"1:40 bad_value not_before"}},
		"a time with an hour of one digit":              {with(`"not_before": "2026-12-01T2:00:00Z"`), []string{"1:40 bad_value not_before"}},
		"a time that leaves the four digits of a year":  {with(`"not_before": "9999-12-31T23:59:59-12:00"`), []string{"1:40 bad_value not_before"}},
		"a duration without a unit":                     {with(`"limits": {"wall_clock": "90"}`), []string{"1:51 bad_value limits.wall_clock"}},
		"places count characters and lines":             {"{\"id\": \"t\",\r\n\"goal\": \"é\", \"Goal\": 1}", []string{"2:14 key_case Goal"}},
		"faults of form and of fields are told at once": {`{"id": "T", "goal": "\ud800", "limits": {"max_rounds": 0}} x`, []string{"1:8 bad_id id", "1:22 lone_surrogate goal", "1:56 out_of_range limits.max_rounds", "1:60 trailing_data"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, faults := Parse([]byte(tt.data), "t")
			if diff := cmp.Diff(tt.want, places(faults)); diff != "" {
				t.Errorf("Parse faults differ (-want +got):\n%s%v", diff, faults)
			}
			if diff := cmp.Diff(Task{}, got); diff != "" {
				t.Errorf("Parse returns a task beside its faults:\n%s", diff)
			}
			partial := strings.HasPrefix(name, "1 ") || strings.HasPrefix(name, "2 ") || strings.HasPrefix(name, "3 ")
			if IsPartial(faults) != partial {
				t.Errorf("IsPartial = %v; want %v", !partial, partial)
			}
		})
	}
}

func places(faults []Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d:%d %s %s", f.Line, f.Col, f.Code, f.Field)))
	}
	return out
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"x-%d": 1, `, 1000+i)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

func TestGoodTaskFiles(t *testing.T) {
	tests := map[string]string{
		"3 a task that looks cut but is whole":   "{\"id\": \"t\", \"goal\": \"g\"}\n\n",
		"22 one byte order mark is stripped":     "\ufeff" + with(`"priority": 1`),
		"28 line ends of Windows":                "{\r\n\"id\": \"t\",\r\n\"goal\": \"a\\r\\nb\"\r\n}\r\n",
		"30 nested 32 deep":                      deep(32),
		"31 a thousand members":                  with(manyMembers(998)),
		"53 a goal larger than an argument":      `{"id": "t", "goal": "` + strings.Repeat("long ", 100_000) + `"}`,
		"54 a goal that looks like a flag":       `{"id": "t", "goal": "--force; rm -rf / $(id) \u001b[31m"}`,
		"14 extra members of any type":           with(`"x-a": null, "x-b": [1.0, 1e400], "x-C": {"id": 1}`),
		"25 a character outside the first plane": `{"id": "t", "goal": "\ud83d\ude00 and 😀"}`,
		"every escape of JSON":                   `{"id": "t", "goal": "\"\\\/\b\f\n\r\t\u00e9"}`,
		"empty lists where they mean none":       with(`"verify": [], "protect": [], "after": [], "refs": [], "operations": [], "context": []`),
		"patterns of every form":                 with(`"allow": ["**", "src/**/*.go", "{a,b}/[!c]?", "a{b,{c,d}}"], "protect": ["[}]"]`),
		"a folder among the context":             with(`"context": ["docs/"]`),
		"references of any form":                 with(`"refs": ["https://example.org/1", "#2"]`),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			if got, faults := Parse([]byte(data), "t"); len(faults) > 0 || got.ID != "t" {
				t.Errorf("Parse = %q, %v; want t and no fault", got.ID, faults)
			}
		})
	}
}

func TestParseKeepsTextAsMeant(t *testing.T) {
	got, faults := Parse([]byte(`{"id": "t", "goal": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00 é"}`), "t")
	if want := "\"\\/\b\f\n\r\té😀 é"; got.Goal != want || len(faults) > 0 {
		t.Errorf("Goal = %q, %v; want %q", got.Goal, faults, want)
	}
}

func TestMessagesSayWhatToDo(t *testing.T) {
	tests := map[string]struct{ data, want string }{
		"the nearest name":               {with(`"titel": "x"`), `t.json:1:26: titel: unknown key "titel", did you mean "title"?`},
		"the word of another tool":       {with(`"promt": "x"`), `t.json:1:26: promt: unknown key "promt", did you mean "goal"?`},
		"how to keep a key of one's own": {with(`"zzzzzz": 1`), `t.json:1:26: zzzzzz: unknown key "zzzzzz": keys of your own begin with x-`},
		"both types":                     {with(`"verify": "unit"`), `t.json:1:36: verify: must be a list, is a string`},
		"the allowed range":              {with(`"limits": {"max_rounds": 0}`), `t.json:1:51: limits.max_rounds: must be from 1 to 1000000, is 0`},
		"JSON5":                          {`{"id": "t",}`, `t.json:1:11: a comma before the closing }: this is JSON, not JSON5`},
		"the line of the first key":      {"{\"id\": \"t\",\n\"id\": \"t\"}", `t.json:2:1: id: key "id" is given twice, first on line 1`},
		"both names":                     {`{"id": "u", "goal": "g"}`, `t.json:1:8: id: the id is "u", but the file is t.json: they must be equal`},
		"the version that is needed":     {`{"schema": "looprun.task/12"}`, `t.json:1:12: schema: needs looprun >= 12.0: this one reads looprun.task/1`},
		"how a duration is written":      {with(`"limits": {"wall_clock": "90"}`), `t.json:1:51: limits.wall_clock: "90" is not a duration above zero: write it as "90s", "10m" or "24h"`},
		"not UTF-8 but":                  {"\xff\xfe{\x00}\x00", `t.json:1:1: not UTF-8 (looks like UTF-16): save it as UTF-8`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, faults := Parse([]byte(tt.data), "t")
			if !slices.ContainsFunc(faults, func(f Fault) bool { return f.String() == tt.want }) {
				t.Errorf("Parse = %v; want among them %s", faults, tt.want)
			}
		})
	}
}

func TestFaultsAreBounded(t *testing.T) {
	long := strings.Repeat("k", 2000)
	members := make([]string, 500)
	for i := range members {
		members[i] = fmt.Sprintf(`"%s%d": 1`, long, i)
	}
	_, faults := Parse([]byte("{"+strings.Join(members, ", ")+"}"), "t")
	if last := faults[len(faults)-1]; len(faults) != MaxFaults+1 || last.Code != CodeFurtherFault {
		t.Errorf("Parse gives %d faults, last %q; want %d and how many there are more", len(faults), last, MaxFaults+1)
	}
	for _, f := range faults {
		if len(f.String()) > 300 {
			t.Fatalf("a fault is told in %d bytes", len(f.String()))
		}
	}
	surrogates := `{"id": "t", "goal": "` + strings.Repeat(`\ud800`, 1000)
	if _, faults := Parse([]byte(surrogates), "t"); !IsPartial(faults) {
		t.Error("IsPartial = false for JSON that is cut behind many faults; want true")
	}
}

func TestFaultStaysOnOneLine(t *testing.T) {
	_, faults := Parse([]byte("{\"a\\nb\\u001b[31m\": 1}"), "evil\n\x1b[2J")
	for _, f := range faults {
		if strings.ContainsAny(f.String(), "\n\x1b") {
			t.Errorf("fault = %q; want one printable line", f.String())
		}
	}
	if len(faults) != 3 {
		t.Errorf("Parse = %d faults; want 3", len(faults))
	}
}

func TestHasBOM(t *testing.T) {
	if !HasBOM([]byte("\ufeff{}")) || HasBOM([]byte("{}")) {
		t.Error("HasBOM does not tell a byte order mark from none")
	}
}
