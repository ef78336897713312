package extract

import "strings"

// words finds the first of many words in a text, compared without case, in one
// pass.
type words [256][]word

type word struct{ text, meaning string }

func wordsOf(byMeaning ...[]string) *words {
	var w words
	for _, list := range byMeaning {
		for _, text := range list[1:] {
			w[text[0]] = append(w[text[0]], word{text: text, meaning: list[0]})
		}
	}
	return &w
}

// at gives the meaning of the word that begins at i, or "".
func (w *words) at(text string, i int) string {
	c := text[i]
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	for _, x := range w[c] {
		if len(text)-i >= len(x.text) && strings.EqualFold(text[i:i+len(x.text)], x.text) {
			return x.meaning
		}
	}
	return ""
}

// first gives the meaning of the first word in a text, or "".
func (w *words) first(text string) string {
	for i := range len(text) {
		if meaning := w.at(text, i); meaning != "" {
			return meaning
		}
	}
	return ""
}
