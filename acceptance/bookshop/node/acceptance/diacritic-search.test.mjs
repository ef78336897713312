// Checks that people need not type accents to find a book.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { search } from '../src/search.mjs';

const shelf = [
  { title: 'Cien años de soledad', author: 'Gabriel García Márquez' },
  { title: 'Wuthering Heights', author: 'Emily Brontë' },
  { title: 'Marianela', author: 'Benito Pe\u0301rez Galdo\u0301s' }, // each accent a character of its own
  { title: 'Dom Casmurro', author: 'Machado de Assis' },
];

const cases = {
  'a name with accents is found without them': ['garcia marquez', 'Cien años de soledad'],
  'a title with a tilde is found without it': ['cien anos', 'Cien años de soledad'],
  'capitals find a small letter with a diaeresis': ['BRONTE', 'Wuthering Heights'],
  'an accent that stands by itself is not needed': ['perez galdos', 'Marianela'],
  'an accent too many does no harm': ['Dom Cásmurro', 'Dom Casmurro'],
};

for (const [name, [query, want]] of Object.entries(cases)) {
  test(`diacritics: ${name}`, () => {
    assert.equal(find(query), want, `"${query}" must find "${want}" alone, found "${find(query)}"`);
  });
}

test('other letters still differ', () => {
  assert.equal(find('garcio'), '');
});

function find(query) {
  return search(shelf, query).map((book) => book.title).join(', ');
}
