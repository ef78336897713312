#!/usr/bin/env bash
# A newcomer's first five minutes, from an empty home with Go and git and
# nothing else: the README's first command in a clone, looprun installed as from
# the network, and a first task in a repository of their own. Each step must
# print what the README says.
#
#     acceptance/newcomer.sh
#
# GOCACHE is shared if it is set; all else is made anew and taken away.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)

if [ -z "${NEWCOMER:-}" ]; then # begin again with nothing of the caller's environment
	NEWCOMER=$(mktemp -d)
	trap 'rm -rf "$NEWCOMER"' EXIT
	mkdir "$NEWCOMER/home"
	env -i NEWCOMER="$NEWCOMER" HOME="$NEWCOMER/home" LANG=C.UTF-8 GOFLAGS=-modcacherw GOTOOLCHAIN=local \
		PATH="$(dirname "$(command -v go)"):$(dirname "$(command -v git)"):/usr/bin:/bin" ${GOCACHE:+GOCACHE="$GOCACHE"} \
		GOPROXY="file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)" \
		bash "$0"
	exit
fi

# step COMMAND... runs a command of the newcomer and keeps what it prints.
step() {
	printf '\n$ %s\n' "$*"
	code=0
	said=$("$@" 2>&1) || code=$?
	printf '%s\n' "$said"
	[ "$code" = 0 ] || fail "it ended with $code"
}

# sees PATTERN holds a line of what was printed last against what was promised.
sees() { grep -qE -- "$1" <<<"$said" || fail "no line of it is like: $1"; }

fail() { printf '\nnewcomer: %s\n' "$*" >&2 && exit 1; }

passed='done +2 rounds +independent_verification_passed'

cd "$NEWCOMER"
step git clone -q "$source" looprun
cd looprun
step go run ./cmd/looprun run
sees "^issue-005 +$passed +looprun/issue-005\$"
step git diff --stat HEAD...looprun/issue-005
sees 'search/search.go'
step go run ./cmd/looprun replay issue-005
step git status --porcelain
[ -z "$(git status --porcelain -- ':!tasks')" ] || fail "the checkout was changed"

# Of the README's second command, the part that looks at what the first one left.
step go test ./acceptance -run Pages

.ci/module-proxy "$NEWCOMER/proxy"
cd "$NEWCOMER"
export GOPROXY="file://$NEWCOMER/proxy,$GOPROXY" GONOSUMDB=looprun.dev
step go install looprun.dev/looprun/cmd/looprun@v0.1.0
export PATH="$PATH:$HOME/go/bin"
step looprun version
sees '^looprun v0\.1\.0 go1'
step looprun demo demo
sees '^  add-plum +done'

mkdir shop && cd shop
git config --global user.name Newcomer
git config --global user.email newcomer@example.com
git init -q -b main
printf 'module shop\n\ngo 1.26\n' >go.mod
cat >shop.go <<'END'
package shop

// Total is what n pieces cost.
func Total(price, n int) int { return price }
END
cat >shop_test.go <<'END'
package shop

import "testing"

func TestOnePiece(t *testing.T) {
	if got := Total(3, 1); got != 3 {
		t.Errorf("Total(3, 1) = %d; want 3", got)
	}
}
END
cat >many_test.go <<'END'
//go:build many

package shop

import "testing"

func TestManyPieces(t *testing.T) {
	if got := Total(3, 2); got != 6 {
		t.Errorf("Total(3, 2) = %d; want 6", got)
	}
}
END
step looprun init --adapter exec
sees '^wrote +loop.yaml$'
sees '^checks +go$'
cat >agent.sh <<'END'
#!/bin/sh
# Needs the plan of round 2 to see what is wrong.
[ -n "$LOOPRUN_PLAN" ] || exit 0
sed 's/return price/return price * n/' shop.go >shop.new && mv shop.new shop.go
END
sed '/^  profiles:/a\    many: [{run: ["go", "test", "-count=1", "-tags=many", "./..."]}]' loop.yaml >loop.new && mv loop.new loop.yaml
git add -A
git commit -qm 'The shop'

step looprun doctor
step looprun validate
step looprun add --id totals --title 'Totals of many pieces' --goal 'Total must take n into account.' --verify many --allow shop.go
sees '^totals$'
step looprun plan
sees '^.*totals'
step looprun run
sees '^looprun: totals round 1 try 1: checks failed: many$'
sees "^totals +$passed +looprun/totals\$"
step looprun show totals
sees '^last decision +completed, independent_verification_passed'
sees '^branch +looprun/totals$'
sees '^2 +1 +1 file +completed'
step git diff HEAD...looprun/totals
sees '^\+func Total\(price, n int\) int \{ return price \* n \}$'
step git status --porcelain
[ -z "$said" ] || fail "the checkout was changed"
printf '\nnewcomer: all of it was as the README says\n'
