// Checks that a search can be limited to one publisher.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { search } from '../src/search.mjs';

const shelf = [
  { title: 'Beloved', author: 'Toni Morrison', publisher: 'Vintage' },
  { title: 'Jazz', author: 'Toni Morrison', publisher: 'Picador' },
  { title: 'Vintage Cars', author: 'Ann Other', publisher: 'Shire' },
  { title: 'Invisible Cities', author: 'Italo Calvino', publisher: 'Vintage' },
];

const cases = {
  'a publisher finds its books only': ['publisher:vintage', ['Beloved', 'Invisible Cities']],
  'a publisher in another case': ['Publisher: PICADOR', ['Jazz']],
  'a publisher together with other words': ['morrison publisher:vintage', ['Beloved']],
};

for (const [name, [query, want]] of Object.entries(cases)) {
  test(`publisher: ${name}`, () => {
    const got = search(shelf, query).map((book) => book.title);
    assert.deepEqual(got, want, `"${query}" must find ${JSON.stringify(want)}, found ${JSON.stringify(got)}`);
  });
}
