import assert from 'node:assert/strict';
import { test } from 'node:test';

import { search } from '../src/search.mjs';

const shelf = [
  { title: 'The Left Hand of Darkness', author: 'Ursula K. Le Guin', isbn: '978-0-441-47812-5' },
  { title: 'At Swim-Two-Birds', author: 'Flann O’Brien', isbn: '156478181X' },
  { title: 'Ｉ Ａｍ ａ Ｃａｔ', author: 'Natsume Sōseki', isbn: '080483265X' },
  { title: 'A Wizard of Earthsea', author: 'Ursula K. Le Guin' },
];
const [darkness, birds, cat, wizard] = shelf.map((book) => book.title);

const cases = {
  'a word of the title': ['darkness', [darkness]],
  'a word of the author finds every book': ['guin', [darkness, wizard]],
  'words of title and author in any order': ['Guin wizard', [wizard]],
  'one word that is missing rules out all': ['guin cooking', []],
  'another case': ['EARTHSEA', [wizard]],
  'full-width letters in the query': ['ｅａｒｔｈｓｅａ', [wizard]],
  'full-width letters on the shelf': ['i am a cat', [cat]],
  'a full-width space between words': ['left\u3000hand', [darkness]],
  'a hyphen typed as a space': ['swim two birds', [birds]],
  'an apostrophe left out': ['obrien', [birds]],
  'an apostrophe of another form': ["o'brien", [birds]],
  'punctuation around words is left out': ['(Hand), of!', [darkness]],
  'an empty query finds nothing': ['', []],
  'a query of punctuation finds nothing': [' -?! ', []],
  'an ISBN with hyphens': ['978-0-441-47812-5', [darkness]],
  'an ISBN with spaces': ['978 0 441 47812 5', [darkness]],
  'a full-width ISBN': ['９７８０４４１４７８１２５', [darkness]],
  'the old length finds the new one': ['0-441-47812-3', [darkness]],
  'the new length finds the old one': ['978-1-56478-181-9', [birds]],
  'an ISBN that ends in a small x': ['080483265x', [cat]],
  'an ISBN that nothing on the shelf has': ['978-0-306-40615-7', []],
  'a number with a wrong check digit': ['978-0-441-47812-6', []],
  'an old number with a wrong check digit': ['1564781818', []],
  'letters where an ISBN would have digits': ['abcdefghijklm', []],
};

for (const [name, [query, want]] of Object.entries(cases)) {
  test(name, () => {
    assert.deepEqual(search(shelf, query).map((book) => book.title), want);
  });
}
