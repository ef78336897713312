package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Forms of output of which testdata has no sample.
func TestTools(t *testing.T) {
	for name, tt := range map[string]struct {
		out  string
		path string
		want []failure
	}{
		"go: a failed subtest stands for its parents": {
			"--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/x (0.00s)\n        a_test.go:9: got 5\n            want 4\n    --- FAIL: TestA/y (0.00s)\n        a_test.go:9: got 6\nFAIL\nFAIL\texample.test/a\t0.01s\n",
			"text:go-test",
			[]failure{{ID: "example.test/a > TestA/x", Class: "fail", Detail: "got 5\nwant 4"}, {ID: "example.test/a > TestA/y", Class: "fail", Detail: "got 6"}},
		},
		"go: testify's trace is left out": {
			"--- FAIL: TestA (0.00s)\n    a_test.go:12: \n        \tError Trace:\t/w/a_test.go:12\n        \t            \t/w/b_test.go:7\n        \tError:      \tNot equal: \n        \t            \texpected: 4\n        \t            \tactual  : 5\n        \tTest:       \tTestA\nFAIL\tx\t0.1s\n",
			"text:go-test",
			[]failure{{ID: "x > TestA", Class: "fail", Detail: "Error:      \tNot equal:\nexpected: 4\nactual  : 5"}},
		},
		"go: a test's own output before its end": {
			"=== RUN   TestA\nno newline--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx\t0.1s\n",
			"text:go-test+fallback", []failure{
				{Class: "exit:1", Detail: "FAIL"}, {Class: "exit:1", Detail: "FAIL\tx\t<dur>"},
				{Class: "exit:1", Detail: "no newline--- FAIL: TestA (<dur>)"}, {ID: "x > TestA", Class: "fail"},
			},
		},
		"go: a package that fails without a failed test": {
			"setup: cannot open database\nFAIL\texample.test/a\t0.01s\nok  \texample.test/b\t0.01s\n",
			"text:go-test", []failure{{ID: "example.test/a", Class: "fail", Detail: "setup: cannot open database"}},
		},
		"go: a panic of before 1.23, twice on the page": {
			"--- FAIL: TestA (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\ngoroutine 6 [running]:\ntesting.tRunner.func1.2({0x1, 0x2})\n\t/usr/local/go/src/testing/testing.go:1974 +0x232\nexample.test/a.(*T).Do(0x0)\n\ta/a.go:22 +0x1\nFAIL\texample.test/a\t0.1s\n",
			"text:go-test", []failure{{ID: "example.test/a > TestA", Class: "panic", Detail: "boom\nin example.test/a.(*T).Do"}},
		},
		"go: a deadlock": {
			"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\tmain.go:5 +0x2d\nexit status 2\n",
			"text:go-crash", []failure{{Class: "fatal error", Detail: "all goroutines are asleep - deadlock!\nin main.main"}},
		},
		"go: a timeout of before it named the tests": {
			"=== RUN   TestSlow\npanic: test timed out after 1s\n\ngoroutine 17 [running]:\ntesting.x()\n\t/usr/local/go/src/testing/testing.go:1 +0x1\nFAIL\tx\t1.0s\n",
			"text:go-test", []failure{{ID: "x > TestSlow", Class: "timeout"}},
		},
		"gotestsum": {
			"=== FAIL: a TestA (0.00s)\n    a_test.go:3: bad\n\nDONE 2 tests, 1 failure in 0.1s\n",
			"text:go-test", []failure{{ID: "a > TestA", Class: "fail", Detail: "bad"}},
		},
		"golangci-lint": {
			"internal/a.go:12:2: Error return value of `f` is not checked (errcheck)\n\tf()\n\t^\n",
			"text:go-build", []failure{{ID: "internal/a.go", Class: "go", Detail: "Error return value of `f` is not checked (errcheck)\nf()"}},
		},
		"unittest: a subtest, and one with a docstring": {
			"FF\n======================================================================\nFAIL: test_a (t.T.test_a) (i=1)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"t.py\", line 5, in test_a\n    self.assertEqual(1, i)\nAssertionError: 1 != 2\n\n" +
				"======================================================================\nERROR: test_b (t.T)\nDoes b.\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"t.py\", line 8, in test_b\n    f()\n  File \"/usr/lib/python3/json.py\", line 8, in f\n    raise ValueError(x)\nValueError: bad\nsecond line\n\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n",
			"text:unittest",
			[]failure{{ID: "t.T > test_a (i=1)", Class: "AssertionError", Detail: "self.assertEqual(1, i)\n1 != 2"}, {ID: "t.T > test_b", Class: "ValueError", Detail: "f()\nbad\nsecond line"}},
		},
		"unittest: of chained errors the last": {
			"======================================================================\nERROR: test_a (t.T.test_a)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"t.py\", line 5, in test_a\n    a()\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"t.py\", line 7, in test_a\n    b()\nRuntimeError: lost\n\n----------------------------------------------------------------------\nRan 1 test in 0.0s\n\nFAILED (errors=1)\n",
			"text:unittest", []failure{{ID: "t.T > test_a", Class: "RuntimeError", Detail: "b()\nlost"}},
		},
		"pytest: conftest that does not load": {
			"ImportError while loading conftest '/w/conftest.py'.\nconftest.py:1: in <module>\n    import nope\nE   ModuleNotFoundError: No module named 'nope'\n",
			"text:pytest", []failure{{ID: "conftest.py > conftest", Class: "collect/ModuleNotFoundError", Detail: "import nope\nModuleNotFoundError: No module named 'nope'"}},
		},
		"pytest: the short summary alone names the tests": {
			"=========================== short test summary info ============================\nFAILED tests/a_test.py::T::test_x - assert 1 == 2\n1 failed in 0.01s\n",
			"text:pytest+fallback", []failure{
				{Class: "exit:1", Detail: "1 failed in <dur>"},
				{Class: "exit:1", Detail: "FAILED tests/a_test.py::T::test_x - assert 1 == 2"}, {ID: "tests/a_test.py > T > test_x", Class: "fail"},
			},
		},
		"pytest: a wrong call": {
			"ERROR: file or directory not found: nope.py\n\n",
			"text:pytest", []failure{{Class: "usage", Detail: "file or directory not found: nope.py"}},
		},
		"jest: what the console printed is no failure": {
			"FAIL unit test/a.test.js (5.1 s)\n  ● Console\n\n    console.error\n      Error: noise\n\n  ● a › fails\n\n    TypeError: x is undefined\n\n      1 | a\n    > 2 |   x.y;\n        |   ^\n\n      at a (test/a.test.js:2:3)\n\n › 1 snapshot failed.\nTests:       1 failed, 1 total\n",
			"text:jest", []failure{{ID: "test/a.test.js > a > fails", Class: "TypeError", Detail: "x is undefined\nx.y;"}},
		},
		"jest: its configuration": {
			"● Validation Error:\n\n  Preset ts-jest not found.\n\n  Configuration Documentation:\n",
			"text:jest", []failure{{Class: "Validation Error", Detail: "Preset ts-jest not found.\nConfiguration Documentation:"}},
		},
		"vitest: two tests with one error, and a rejection": {
			"⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  |unit| a.test.ts > x\n FAIL  |unit| a.test.ts > y\nError: bad\n ❯ a.test.ts:3:5\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯\n\n⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯\n\n⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯\nTypeError: lost\n ❯ b.ts:1:1\n",
			"text:vitest",
			[]failure{{ID: "a.test.ts > x", Class: "Error", Detail: "bad"}, {ID: "a.test.ts > y", Class: "Error", Detail: "bad"}, {ID: "unhandled rejection", Class: "TypeError", Detail: "lost"}},
		},
		"mocha: a hook, and a test at the root": {
			"\n  0 passing (3ms)\n  2 failing\n\n  1) calc\n       \"before each\" hook for \"adds\":\n     Error: no db\n      at Context.<anonymous> (a.js:3:5)\n\n  2) alone:\n     AssertionError: expected 1 to equal 2\n      + expected - actual\n\n      -1\n      +2\n\n      at Context.<anonymous> (a.js:9:5)\n\nnpm lifecycle noise\n",
			"text:mocha",
			[]failure{{ID: "alone", Class: "AssertionError", Detail: "expected 1 to equal 2\n+ expected - actual\n-1\n+2"}, {ID: `calc > "before each" hook for "adds"`, Class: "Error", Detail: "no db"}},
		},
		"TAP 14: subtests, a directive, a bail-out": {
			"TAP version 14\n# Subtest: a\n    not ok 1 - b # TODO later\n    not ok 2 - c\n      ---\n      message: 'it''s bad'\n      severity: fail\n      at:\n        line: 3\n      ...\n    1..2\nnot ok 1 - a\nok 2 - d # SKIP no\nBail out! no database\n1..9\n",
			"format",
			[]failure{{Class: "bail out", Detail: "no database"}, {ID: "a > c", Class: "fail", Detail: "it's bad\nseverity: fail"}},
		},
		"TAP: less than was planned": {
			"1..3\nok 1 - a\nok 2 - b\n", "format", []failure{{Class: "plan", Detail: "planned 3 tests, ran 2"}},
		},
		"TAP: two tests without a name": {
			"1..2\nnot ok 1\n# got 5\nnot ok 2\n# got 6\n", "format",
			[]failure{{ID: "#1", Class: "fail", Detail: "got 5"}, {ID: "#2", Class: "fail", Detail: "got 6"}},
		},
		"bats: bats-assert and bare noise": {
			"1..1\nnot ok 1 adds in 15ms\n# (from function `assert_output' in file lib/assert.bash, line 194,\n#  in test file t/a.bats, line 7)\n#   `assert_output \"4\"' failed\n# noise 17\n# -- output differs --\n# expected : 4\n# actual   : 5\n# --\n", "format",
			[]failure{{ID: "t/a.bats > adds", Class: "fail", Detail: "`assert_output \"4\"' failed\n-- output differs --\nexpected : 4\nactual   : 5"}},
		},
		"cargo: a panic as it was printed before 1.73": {
			"---- tests::a stdout ----\nthread 'tests::a' panicked at 'assertion failed: `(left == right)`\n  left: `5`,\n right: `4`: sum', src/lib.rs:20:9\nnote: run with `RUST_BACKTRACE=1`\n\n---- tests::b stdout ----\nthread 'tests::b' panicked at 'no', src/lib.rs:30:9\n\nfailures:\n    tests::a\n\ntest result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n",
			"text:cargo",
			[]failure{{ID: "tests::a", Class: "assertion", Detail: "src/lib.rs\nassertion failed: `(left == right)`\nleft: `5`,\nright: `4`: sum"}, {ID: "tests::b", Class: "panic", Detail: "src/lib.rs\nno"}},
		},
		"cargo: a message with a blank line": {
			"---- a stdout ----\n\nthread 'a' panicked at src/lib.rs:20:9:\nassertion failed: `(left == right)`\n\nDiff < left / right > :\n<5\n>4\n\n\nfailures:\n    a\n",
			"text:cargo", []failure{{ID: "a", Class: "assertion", Detail: "src/lib.rs\nassertion failed: `(left == right)`\nDiff < left / right > :\n<5\n>4"}},
		},
		"cargo: the process died": {
			"error: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully: `/w/deps/a-c6626fb655a8d231` (signal: 11, SIGSEGV: invalid memory reference)\n",
			"text:cargo", []failure{{Class: "signal:SEGV"}},
		},
		"a panic of a Rust program": {
			"thread 'main' panicked at src/main.rs:2:5:\nno config\nnote: run with `RUST_BACKTRACE=1`\n",
			"text:rust-crash", []failure{{ID: "src/main.rs > main", Class: "panic", Detail: "no config"}},
		},
		"tsc: a message of several lines, and one without a file": {
			"src/a.ts(4,26): error TS2345: Argument bad.\n  Type 'a' is no 'b'.\nerror TS18003: No inputs were found.\n",
			"text:tsc", []failure{{Class: "TS18003", Detail: "No inputs were found."}, {ID: "src/a.ts", Class: "TS2345", Detail: "Argument bad.\nType 'a' is no 'b'."}},
		},
		"eslint: warnings alone fail a run that allows none": {
			"\n/w/a.js\n  2:9  warning  Unexpected var  no-var\n\n✖ 1 problem (0 errors, 1 warning)\n\nESLint found too many warnings (maximum: 0).\n",
			"text:eslint", []failure{{ID: "/w/a.js", Class: "no-var", Detail: "Unexpected var"}},
		},
		"mypy: with columns, a note left out": {
			"a.py:4:5: error: Bad type  [arg-type]\na.py:4:5: note: see there\nFound 1 error in 1 file (checked 1 source file)\n",
			"text:mypy", []failure{{ID: "a.py", Class: "arg-type", Detail: "Bad type"}},
		},
		"pylint: the form called parseable": {
			"************* Module app\napp.py:4: [E0602(undefined-variable), inc] Undefined variable 'x'\n",
			"text:pylint", []failure{{ID: "app.py", Class: "E0602", Detail: "Undefined variable 'x'"}},
		},
		"ruff": {
			"app.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n",
			"text:flake8", []failure{{ID: "app.py", Class: "F401", Detail: "`os` imported but unused"}},
		},
		"the linker, with an object drawn at random": {
			"/usr/bin/ld: /tmp/ccQX1Xn2.o: in function `main':\napp.c:(.text+0x9): undefined reference to `foo'\n/usr/bin/ld: /tmp/ccQX1Xn2.o:app.c:(.bss+0x0): multiple definition of `bar'; /tmp/ccRX1Xn3.o:b.c:(.bss+0x0): first defined here\ncollect2: error: ld returned 1 exit status\n",
			"text:linker", []failure{{ID: "main", Class: "link", Detail: "multiple definition of 'bar'"}, {ID: "main", Class: "link", Detail: "undefined reference to 'foo'"}},
		},
		"lld and Apple's linker": {
			"ld.lld: error: undefined symbol: foo\n>>> referenced by a.c:3\nUndefined symbols for architecture arm64:\n  \"_bar\", referenced from:\n      _main in a-1.o\n",
			"text:linker", []failure{{Class: "link", Detail: "undefined symbol: _bar"}, {Class: "link", Detail: "undefined symbol: foo"}},
		},
		"warnings made errors, and msbuild's form": {
			"a.c:3:7: error: unused variable ‘x’ [-Werror=unused-variable]\nA.cs(4,26): error CS0103: The name 'y' does not exist\n",
			"text:compiler", []failure{{ID: "A.cs", Class: "CS0103", Detail: "The name 'y' does not exist"}, {ID: "a.c", Class: "-Werror=unused-variable", Detail: "unused variable 'x'"}},
		},
		"javac": {
			"src/Foo.java:3: error: cannot find symbol\n    bar();\n    ^\n  symbol:   method bar()\n  location: class Foo\n1 error\n",
			"text:compiler", []failure{{ID: "src/Foo.java", Class: "error", Detail: "cannot find symbol\nbar();\nsymbol:   method bar()\nlocation: class Foo"}},
		},
		"gtest: a process that dies in a test, and a value": {
			"[ RUN      ] V/Foo.Bar/0\na.cc:3: Failure\nExpected: x\n[  FAILED  ] V/Foo.Bar/0, where GetParam() = 5 (0 ms)\n[ RUN      ] Foo.Dies\n",
			"text:gtest", []failure{{ID: "Foo.Dies", Class: "crash", Detail: "did not end"}, {ID: "a.cc > V/Foo.Bar/0", Class: "fail", Detail: "Expected: x"}},
		},
		"ctest: how each test failed": {
			"Test project /w/b\n\n20% tests passed, 4 tests failed out of 5\n\nThe following tests FAILED:\n\t  1 - unit (Failed)\n\t  3 - gone (Not Run)\n\t  4 - segv (SEGFAULT)\n\t  5 - slow (Timeout)\nErrors while running CTest\n",
			"text:ctest", []failure{{ID: "gone", Class: "Not Run"}, {ID: "segv", Class: "signal:SEGV"}, {ID: "slow", Class: "timeout"}, {ID: "unit", Class: "fail"}},
		},
		"rspec: a hook of the suite, and a pending example left alone": {
			"An error occurred in a `before(:suite)` hook.\nFailure/Error: connect\n\nIOError:\n  no db\n# ./spec/h.rb:3:in `x'\n\nPending: (Failures listed here are expected)\n\n  1) A later\n     # not yet\n     # ./spec/a.rb:3\n\nFinished in 0.1 seconds (files took 0.2 seconds to load)\n1 example, 0 failures, 1 pending, 1 error occurred outside of examples\n",
			"text:rspec", []failure{{ID: "`before(:suite)` hook", Class: "IOError", Detail: "Failure/Error: connect\nno db"}},
		},
		"minitest as Rails prints it": {
			"F\n\nFailure:\nUserTest#test_name [test/models/user_test.rb:6]:\nExpected: 4\n  Actual: 5\n\n\nbin/rails test test/models/user_test.rb:4\n\n\n\nFinished in 0.1s, 8.1 runs/s, 8.1 assertions/s.\n1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n",
			"text:minitest", []failure{{ID: "test/models/user_test.rb > UserTest#test_name", Class: "Minitest::Assertion", Detail: "Expected: 4\nActual: 5"}},
		},
		"phpunit: errors and failures, risky tests left out": {
			"PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\nThere was 1 error:\n\n1) App\\T::testA with data set #1 (2, 3)\nTypeError: bad\n\n/w/T.php:9\n\n--\n\nThere was 1 failure:\n\n1) App\\T::testB\nFailed asserting that 5 matches expected 4.\n\n/w/T.php:12\n\n--\n\nThere was 1 risky test:\n\n1) App\\T::testC\nThis test did not perform any assertions\n\nERRORS!\nTests: 3, Assertions: 2, Errors: 1, Failures: 1, Risky: 1.\n",
			"text:phpunit",
			[]failure{{ID: `App\T > testA with data set #1 (2, 3)`, Class: "TypeError", Detail: "bad"}, {ID: `App\T > testB`, Class: `PHPUnit\Framework\ExpectationFailedException`, Detail: "Failed asserting that 5 matches expected 4."}},
		},
		"surefire 3": {
			"[INFO] Running com.example.CalcTest\n[ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.CalcTest\n[ERROR] com.example.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: sum ==> expected: <4> but was: <5>\n\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)\n\n[ERROR] com.example.CalcTest.parses -- Time elapsed: 0.01 s <<< ERROR!\njava.lang.IllegalStateException\n\tat com.example.Calc.parse(Calc.java:5)\nCaused by: java.io.IOException: no\n\t... 3 more\n\n[ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test\n",
			"text:maven",
			[]failure{{ID: "com.example.CalcTest.adds", Class: "org.opentest4j.AssertionFailedError", Detail: "sum ==> expected: <4> but was: <5>"}, {ID: "com.example.CalcTest.parses", Class: "java.lang.IllegalStateException", Detail: "Caused by: java.io.IOException: no"}},
		},
		"surefire: a message that begins with a blank line": {
			"[ERROR] CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: \n\nexpected: 4\n but was: 5\n\tat CalcTest.adds(CalcTest.java:12)\n\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n",
			"text:maven", []failure{{ID: "CalcTest.adds", Class: "org.opentest4j.AssertionFailedError", Detail: "expected: 4\nbut was: 5"}},
		},
		"shunit2: texts of several lines": {
			"test_a\nASSERT:expected:<a\nb> but was:<a\nc>\ntest_b\nASSERT:no\n\nRan 2 tests.\n\nFAILED (failures=2)\n",
			"text:shunit2", []failure{{ID: "test_a", Class: "fail", Detail: "expected:<a\nb> but was:<a\nc>"}, {ID: "test_b", Class: "fail", Detail: "no"}},
		},
		"a Python error of several lines": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nm.ValidationError: 2 errors\nname\n  is missing\n\nbye\n",
			"text:python-crash", []failure{{ID: "a.py > <module>", Class: "m.ValidationError", Detail: "f()\n2 errors\nname\nis missing"}},
		},
		"a Ruby error of several lines": {
			"run.rb:3:in `go': no (ArgumentError)\nsecond\n\tfrom run.rb:9:in `<main>'\n",
			"text:ruby-crash", []failure{{ID: "run.rb > go", Class: "ArgumentError", Detail: "no\nsecond"}},
		},
		"a Java error of several lines": {
			"Exception in thread \"main\" java.lang.RuntimeException: no\n\nsecond\n\tat App.run(App.java:3)\nCaused by: java.io.IOException: in\n\tat App.go(App.java:5)\n\t... 1 more\nbye\n",
			"text:java-crash", []failure{{ID: "App.run", Class: "java.lang.RuntimeException", Detail: "no\nsecond\nCaused by: java.io.IOException: in"}},
		},
		"surefire 2": {
			"adds(com.example.CalcTest)  Time elapsed: 0.01 sec  <<< FAILURE!\njava.lang.AssertionError: expected:<4> but was:<5>\n\tat org.junit.Assert.fail(Assert.java:88)\n\nTests run: 1, Failures: 1, Errors: 0, Skipped: 0\n",
			"text:maven", []failure{{ID: "com.example.CalcTest.adds", Class: "java.lang.AssertionError", Detail: "expected:<4> but was:<5>"}},
		},
		"maven's compiler says it twice": {
			"[ERROR] COMPILATION ERROR : \n[ERROR] src/main/java/Foo.java:[3,5] cannot find symbol\n  symbol: method bar()\n[INFO] 1 error\n[ERROR] Failed to execute goal x: Compilation failure\n[ERROR] src/main/java/Foo.java:[3,5] cannot find symbol\n[ERROR]   symbol: method bar()\n",
			"text:maven", []failure{{ID: "src/main/java/Foo.java", Class: "javac", Detail: "cannot find symbol\nsymbol: method bar()"}},
		},
		"gradle: a test": {
			"> Task :test FAILED\n\nCalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <4> but was: <5>\n        at CalcTest.adds(CalcTest.java:12)\n\n3 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests.\n\n",
			"text:gradle", []failure{{ID: "CalcTest > adds()", Class: "org.opentest4j.AssertionFailedError", Detail: "expected: <4> but was: <5>"}},
		},
		"gradle: what did not compile": {
			"> Task :compileJava FAILED\nsrc/A.java:3: error: ';' expected\n    x\n     ^\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n\n",
			"text:compiler+gradle", []failure{{Class: "gradle", Detail: "Execution failed for task ':compileJava'."}, {ID: "src/A.java", Class: "error", Detail: "';' expected\nx"}},
		},
		"playwright: tries and the log of calls are left out": {
			"\nRunning 1 test using 1 worker\n\n  1) [chromium] › a.spec.ts:3:5 › page › has title ───────────\n\n    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n\n    Expected: visible\n    Call log:\n      - waiting for x\n      9 × locator resolved\n\n      2 |\n    > 3 |   await expect(x).toBeVisible();\n        |                   ^\n        at /w/a.spec.ts:3:19\n\n    Retry #1 ───────\n\n    Error: other\n\n  1 failed\n    [chromium] › a.spec.ts:3:5 › page › has title ───\n",
			"text:playwright", []failure{{ID: "[chromium] > a.spec.ts > page > has title", Class: "Error", Detail: "Timed out <dur> waiting for expect(locator).toBeVisible()\nExpected: visible\nawait expect(x).toBeVisible();"}},
		},
		"a sanitizer": {
			"==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010\n    #0 0x55 in run /w/app.c:7:3\nSUMMARY: AddressSanitizer: heap-use-after-free app.c:7:3 in run\n",
			"text:sanitizer", []failure{{ID: "app.c > run", Class: "AddressSanitizer", Detail: "heap-use-after-free"}},
		},
		"an exception that ends a C++ program": {
			"terminate called after throwing an instance of 'std::runtime_error'\n  what():  bad input\n",
			"text:sanitizer", []failure{{Class: "std::runtime_error", Detail: "bad input"}},
		},
		"a Python error that follows another": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\nKeyError: 'a'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"a.py\", line 9, in g\n    y()\nValueError: b\n",
			"text:python-crash", []failure{{ID: "a.py > g", Class: "ValueError", Detail: "y()\nb"}},
		},
		"prettier": {
			"Checking formatting...\n[warn] src/a.js\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.\n",
			"text:prettier", []failure{{ID: "src/a.js", Class: "format", Detail: "not formatted"}},
		},
		"two tools of one command": {
			"FAIL a.test.js\n  ● adds\n\n    Error: bad\n\nTests:       1 failed, 1 total\n\n/w/a.js\n  2:9  error  Unexpected var  no-var\n\n✖ 1 problem (1 error, 0 warnings)\n",
			"text:eslint+jest", []failure{{ID: "/w/a.js", Class: "no-var", Detail: "Unexpected var"}, {ID: "a.test.js > adds", Class: "Error", Detail: "bad"}},
		},
		"a script that prints as a tool would": {
			"FAIL: add 2 2: expected 4, got 5\nFAIL a\n--- expected\nok then\n", "fallback",
			[]failure{{Class: "exit:1", Detail: "--- expected"}, {Class: "exit:1", Detail: "FAIL a"}, {Class: "exit:1", Detail: "FAIL: add 2 2: expected 4, got 5"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Extract(Output{ExitCode: 1, Stdout: []byte(tt.out)}).Check
			if got.PathTaken != tt.path {
				t.Errorf("Extract: path %q; want %q", got.PathTaken, tt.path)
			}
			if diff := cmp.Diff(tt.want, got.Failures); diff != "" {
				t.Errorf("Extract: failures (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever a tool finds on one stream it finds on the other.
func TestToolsReadBothStreams(t *testing.T) {
	out := []byte("FAIL a.test.js\n  ● adds\n\n    Error: bad\n\nTests:       1 failed, 1 total\n")
	one, other := Extract(Output{ExitCode: 1, Stdout: out}), Extract(Output{ExitCode: 1, Stderr: out})
	if diff := cmp.Diff(one.Check, other.Check); diff != "" {
		t.Errorf("standard output and standard error differ:\n%s", diff)
	}
}

func TestMarksAreSound(t *testing.T) {
	names := map[string]bool{}
	for _, tool := range tools {
		if tool.name == "" || names[tool.name] || tool.read == nil || len(tool.marks) == 0 && !tool.spots {
			t.Errorf("tool %q: name is empty or double, or nothing wakes or reads it", tool.name)
		}
		names[tool.name] = true
		for _, m := range tool.marks {
			if strings.TrimPrefix(m, ": ") == "" {
				t.Errorf("tool %q: an empty mark wakes nothing", tool.name)
			}
		}
	}
}

func TestBegins(t *testing.T) {
	for name, tt := range map[string]struct {
		text, mark string
		want       bool
	}{
		"plain":                    {"ok then", "ok ", true},
		"a number":                 {"12 passing (3ms)", "9 passing", true},
		"no number":                {"x passing", "9 passing", false},
		"a run of a sign":          {"======= FAILURES =======", "= FAILURES =", true},
		"one sign is a run":        {"= FAILURES =", "= FAILURES =", true},
		"text shorter than a mark": {"o", "ok", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := begins(tt.text, tt.mark); got != tt.want {
				t.Errorf("begins(%q, %q) = %t; want %t", tt.text, tt.mark, got, tt.want)
			}
		})
	}
}
