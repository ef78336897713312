package child

import "bytes"

// A token is a form that only a credential has.
type token struct {
	prefix string
	class  classes // of the bytes that follow
	min    int     // how many at least
	alone  bool    // only where it is not the end of a longer word
	key    bool    // a private key in PEM; class and min do not count
}

// classes of bytes. Each has all bytes of the prefixes that it is used with, so
// that a prefix inside a run is no reason to look again.
type classes uint

const (
	alnum  classes = iota
	word           // and _
	dashed         // and _ and -
)

var classSets = [...][256]bool{
	alnum:  classOf(""),
	word:   classOf("_"),
	dashed: classOf("_-"),
}

func classOf(more string) (set [256]bool) {
	for c := range 256 {
		b := byte(c)
		set[c] = '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' ||
			bytes.IndexByte([]byte(more), b) >= 0
	}
	return set
}

var tokens = []token{
	{prefix: "AKIA", class: alnum, min: 16}, // AWS
	{prefix: "ASIA", class: alnum, min: 16},
	{prefix: "ghp_", class: word, min: 36}, // GitHub
	{prefix: "gho_", class: word, min: 36},
	{prefix: "ghu_", class: word, min: 36},
	{prefix: "ghs_", class: word, min: 36},
	{prefix: "ghr_", class: word, min: 36},
	{prefix: "github_pat_", class: word, min: 36},
	{prefix: "glpat-", class: dashed, min: 20},   // GitLab
	{prefix: "sk-ant-", class: dashed, min: 20},  // Anthropic
	{prefix: "sk-proj-", class: dashed, min: 20}, // OpenAI
	{prefix: "sk-svcacct-", class: dashed, min: 20},
	{prefix: "sk-or-v1-", class: dashed, min: 20},       // OpenRouter
	{prefix: "sk-", class: alnum, min: 32, alone: true}, // OpenAI and those that copied it
	{prefix: "xoxb-", class: dashed, min: 20},           // Slack
	{prefix: "xoxp-", class: dashed, min: 20},
	{prefix: "xoxa-", class: dashed, min: 20},
	{prefix: "xoxs-", class: dashed, min: 20},
	{prefix: "AIza", class: dashed, min: 35},   // Google
	{prefix: "sk_live_", class: word, min: 24}, // Stripe
	{prefix: "rk_live_", class: word, min: 24},
	{prefix: "npm_", class: word, min: 36},
	{prefix: "pypi-AgEIcHlwaS5vcmc", class: dashed, min: 50},
	{prefix: "-----BEGIN ", key: true},
}
