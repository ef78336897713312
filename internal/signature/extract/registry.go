package extract

// A tool is a program whose output is known: how to recognise it and how to
// read it.
type tool struct {
	name string
	kind kind

	// marks wake the tool: beginnings of lines, blanks apart, in which 9 stands
	// for any number and "=", "_", "-" or "*" for a run of them; or, with ": "
	// in front, text after a colon inside a line. They only save time: read
	// itself must be sure that what it reads is the tool's.
	marks []string

	// spots wakes the tool where a line begins with a place in a source file.
	spots bool

	// read adds the failures that it finds on the page, and what it learns of
	// the tests that ran. It must take time in proportion to the page.
	read func(*page, *found)
}

// A kind says when a tool's findings count.
type kind int

const (
	named    kind = iota // always: test runners, linters and compilers that cannot be mistaken
	building             // when no test failed or something did not build: compiler-style lines
	crashing             // when a failure still has no reason: traces of processes that died
)

// tools are all that are known; to add one, write its file and name it here.
var tools = []tool{
	tap,
	nodeSpec,
	goTest,
	dart,
	kotlin,
	ruff,
	pytest,
	unittest,
	pythonDoctest,
	jest,
	vitest,
	mocha,
	ava,
	playwright,
	cargo,
	rustc,
	typescript,
	eslint,
	prettier,
	mypy,
	pylint,
	shellcheck,
	gtest,
	doctest,
	ctest,
	bats,
	shunit2,
	rspec,
	minitest,
	phpunit,
	prove,
	maven,
	gradle,

	goBuild,
	flake8,
	gcc,
	linker,

	pythonCrash,
	nodeCrash,
	goCrash,
	rustCrash,
	javaCrash,
	rubyCrash,
	phpCrash,
	sanitizer,
}
