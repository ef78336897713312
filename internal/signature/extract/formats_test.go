package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/signature"
)

func TestReadFormat(t *testing.T) {
	for name, tt := range map[string]struct {
		text, format string
		want         []failure
		tests        signature.Tests
	}{
		"JUnit of surefire": {
			`<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="com.example.CalcTest" time="0.05" tests="2" errors="0" skipped="0" failures="1">
  <properties><property name="user.dir" value="/w"/></properties>
  <testcase name="adds" classname="com.example.CalcTest" time="0.01">
    <failure message="expected: &lt;4&gt; but was: &lt;5&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <4> but was: <5>
	at com.example.CalcTest.adds(CalcTest.java:12)
Caused by: java.io.IOException: inner
	... 3 more
]]></failure>
    <system-out>noise</system-out>
  </testcase>
  <testcase name="fine" classname="com.example.CalcTest" time="0.01"/>
</testsuite>`, "junit",
			[]failure{{ID: "com.example.CalcTest > adds", Class: "org.opentest4j.AssertionFailedError", Detail: "expected: <4> but was: <5>\nCaused by: java.io.IOException: inner"}},
			signature.Tests{Known: true, Run: 2, Passed: 1, Ran: []string{"com.example.CalcTest > adds", "com.example.CalcTest > fine"}, Green: []string{"com.example.CalcTest > fine"}},
		},
		"JUnit of Gradle, several cases of one name": {
			`<testsuite name="T"><testcase name="p()" classname="T"><failure message="m" type="E">E: m
	at T.p(T.java:1)</failure></testcase><testcase name="p()" classname="T"><failure message="m" type="E">E: m</failure></testcase></testsuite>`, "auto",
			[]failure{{ID: "T > p()", Class: "E", Detail: "m (2 times)"}},
			signature.Tests{Known: true, Run: 2, Ran: []string{"T > p()"}},
		},
		"JUnit in several documents, broken colours, control characters": {
			"<testsuite name=\"a\"><testcase name=\"x\" classname=\"a\"><error type=\"T\" message=\"#x1B[31mbad#x1B[0m &#27;[1mthing&#x1b;[0m\"/></testcase></testsuite>\n<?xml version=\"1.0\"?><testsuite name=\"b\"><testcase name=\"y\" classname=\"b\"><failure>plain [33mtext[39m</failure></testcase>", "junit",
			[]failure{{ID: "a > x", Class: "T", Detail: "bad thing"}, {ID: "b > y", Class: "failure", Detail: "plain text"}},
			signature.Tests{Known: true, Run: 2, Ran: []string{"a > x", "b > y"}},
		},
		"JUnit of a suite that did not start, and nested ones": {
			`<testsuites><testsuite name="out"><error message="no db" type="Boom"/><testsuite name="in"><testcase name="z" classname="test"><failure message="m" type="failure"><b>inner</b> words</failure></testcase></testsuite></testsuite></testsuites>`, "junit",
			[]failure{{ID: "out", Class: "Boom", Detail: "no db"}, {ID: "out > in > test > z", Class: "failure", Detail: "m\ninner words"}},
			signature.Tests{Known: true, Run: 2, Ran: []string{"out", "out > in > test > z"}},
		},
		"JUnit that was cut off in a failure": {
			`<testsuite name="s"><testcase name="a" classname="s"><failure message="m" type="T">half a`, "junit",
			[]failure{{ID: "s > a", Class: "T", Detail: "m\nhalf a"}},
			signature.Tests{Known: true, Run: 1, Ran: []string{"s > a"}},
		},
		"JUnit with a Python traceback": {
			"<testsuite name=\"s\"><testcase name=\"a\" classname=\"s\"><failure message=\"1 != 2\" type=\"AssertionError\">Traceback (most recent call last):\n  File \"t.py\", line 5, in test_a\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n</failure></testcase></testsuite>", "junit",
			[]failure{{ID: "s > a", Class: "AssertionError", Detail: "self.assertEqual(1, 2)\n1 != 2"}},
			signature.Tests{Known: true, Run: 1, Ran: []string{"s > a"}},
		},
		"go: errors told from logs": {
			`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: a log 12\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:4: the error\n","OutputType":"error"}
{"Action":"output","Package":"p","Test":"TestA","Output":"        goes on\n","OutputType":"error-continue"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n","OutputType":"frame"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`, "go-json",
			[]failure{{ID: "p > TestA", Class: "fail", Detail: "the error\ngoes on"}},
			signature.Tests{Known: true, Run: 1, Ran: []string{"p > TestA"}},
		},
		"go: a stream that was cut off, a name with an escape": {
			`{"Action":"output","Package":"p","Test":"TestA/\u003ca\u003e","Output":"    a_test.go:3: bad\n"}
{"Action":"fail","Package":"p","Test":"TestA/\u003ca\u003e"}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0.1}
{"Action":"outp`, "auto",
			[]failure{{ID: "p > TestA/<a>", Class: "fail", Detail: "bad"}},
			signature.Tests{Known: true, Run: 2, Passed: 1, Ran: []string{"p > TestA/<a>", "p > TestB"}, Green: []string{"p > TestB"}},
		},
		"jest: a test, a suite that did not load": {
			`noise
{"numTotalTests":1,"testResults":[{"name":"a.test.js","status":"failed","message":"","assertionResults":[{"ancestorTitles":["calc"],"title":"adds","status":"failed","failureMessages":["Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)\n\nExpected: 4\nReceived: 5\n    at a (a.test.js:3:1)"]},{"ancestorTitles":[],"title":"later","status":"pending","failureMessages":[]}]},{"name":"b.test.js","status":"failed","message":"  ● Test suite failed to run\n\n    Cannot find module 'x' from 'b.test.js'\n","assertionResults":[]}]}
more noise`, "auto",
			[]failure{{ID: "a.test.js > calc > adds", Class: "assertion", Detail: "expect(received).toBe(expected)\nExpected: 4\nReceived: 5"}, {ID: "b.test.js > Test suite failed to run", Class: "Error", Detail: "Cannot find module 'x' from 'b.test.js'"}},
			signature.Tests{Known: true, Run: 1, Skipped: 1, Ran: []string{"a.test.js > calc > adds"}},
		},
		"CTRF": {
			`{"results":{"tool":{"name":"x"},"summary":{"tests":3},"tests":[{"name":"a","status":"failed","suite":["s","t"],"filePath":"a.ts","duration":12,"message":"expected 5 to be 4","trace":"AssertionError: expected 5 to be 4\n    at a.ts:3:1"},{"name":"b","status":"passed","suite":"s"},{"name":"c","status":"skipped"}]}}`, "ctrf",
			[]failure{{ID: "a.ts > s > t > a", Class: "AssertionError", Detail: "expected 5 to be 4"}},
			signature.Tests{Known: true, Run: 2, Passed: 1, Skipped: 1, Ran: []string{"a.ts > s > t > a", "s > b"}, Green: []string{"s > b"}},
		},
		"SARIF: errors only, none that was suppressed": {
			`{"version":"2.1.0","runs":[{"tool":{},"results":[
{"ruleId":"R1","level":"error","message":{"text":"Bad thing."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/a.c"},"region":{"startLine":3}}}]},
{"ruleId":"R2","level":"warning","message":{"text":"Meh"}},
{"ruleId":"R3","level":"error","message":{"text":"Known"},"suppressions":[{"kind":"inSource"}]},
{"rule":{"id":"R4"},"level":"error","kind":"pass","message":{"text":"Fine"}}]}]}`, "sarif",
			[]failure{{ID: "src/a.c", Class: "R1", Detail: "Bad thing"}},
			signature.Tests{},
		},
		"eslint: warnings where there are no errors": {
			`[{"filePath":"a.js","messages":[{"ruleId":"no-var","severity":1,"message":"Unexpected var.","line":3},{"ruleId":"no-var","severity":1,"message":"Unexpected var.","line":5}]}]`, "eslint-json",
			[]failure{{ID: "a.js", Class: "no-var", Detail: "Unexpected var (2 times)"}},
			signature.Tests{},
		},
		"TAP": {
			"TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n  message: bad\n  ...\n1..2\n", "tap",
			[]failure{{ID: "b", Class: "fail", Detail: "bad"}},
			signature.Tests{Known: true, Run: 2, Passed: 1, Ran: []string{"a", "b"}, Green: []string{"a"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &found{}
			if !readFormat(tt.text, tt.format, f) {
				t.Fatalf("readFormat does not know the text as %s", tt.format)
			}
			got, _ := f.list()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("readFormat: failures (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.tests, f.tally.tests()); diff != "" {
				t.Errorf("readFormat: tests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadFormatLeavesOtherTextAlone(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                       "",
		"words of XML":                  "the <testsuite element is missing",
		"JSON of another kind":          `{"tests":[],"examples":3,"runs":"no","testResults":null,"filePath":"x"}`,
		"an empty list":                 `[]`,
		"an event of another kind":      `{"Action":"click","Time":"x"}`,
		"a broken document":             `{"testResults":[{`,
		"many brackets":                 "[\n[\n[\n[\n[\n[\n[\n[\n[\n[\n\"filePath\"\n",
		"points without a plan, as TAP": "ok 1 - a\nnot ok 2 - b\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := &found{}
			if readFormat(text, "", f) && !f.none() {
				t.Errorf("readFormat took %q for a document with %d failures", text, f.distinct())
			}
		})
	}
}

func TestXMLScanner(t *testing.T) {
	const doc = `<?xml version="1.0"?><!DOCTYPE x><a:one q='x>y' p = "&lt;1&gt; &#65;&#x42;&#27;&bad; &amp"><!-- <two/> --><![CDATA[<3>]]>t&amp;u<four/></a:one> < 5 <six`
	var got []string
	x := xmlScanner{text: doc}
	for {
		tag, ok := x.next()
		if !ok {
			break
		}
		switch {
		case tag.opens && tag.ends:
			got = append(got, "empty "+tag.name)
		case tag.opens:
			got = append(got, "open "+tag.name+" "+tag.attr("p")+" "+tag.attr("q")+tag.attr("none"))
		case tag.ends:
			got = append(got, "close "+tag.name)
		case tag.text != "":
			got = append(got, "text "+tag.content())
		}
	}
	want := []string{"open one <1> AB&bad; &amp x>y", "text <3>", "text t&u", "empty four", "close one", "text  ", "text <", "text  5 ", "open six  "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}
