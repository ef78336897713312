// Finds books on a shelf by what people type: an ISBN, or words of a title or
// an author in any case, width and punctuation. A book is an object with title,
// author, publisher and isbn, each of which may be missing.

// search returns the books that match query, in the order of the shelf. A query
// that is an ISBN finds the books with that ISBN. Any other finds the books
// whose title and author hold all of its words, or parts of words, in any
// order. A query without a word finds nothing.
export function search(shelf, query) {
  const isbn = parseISBN(query);
  if (isbn) return shelf.filter((book) => parseISBN(book.isbn) === isbn);

  const words = fold(query).split(' ').filter(Boolean);
  if (words.length === 0) return [];
  return shelf.filter((book) => {
    const text = fold(`${book.title ?? ''} ${book.author ?? ''}`);
    return words.every((word) => text.includes(word));
  });
}

// fold brings text into the form in which it is compared: lower case, no
// full-width characters, one space between words and no other punctuation.
// Apostrophes go without a space, as many people leave them out.
function fold(text) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
}

// parseISBN reads an ISBN of either length, with any hyphens and spaces. It
// returns the 13 digits, so that both forms of one number are equal, and null
// for what is no ISBN. A number with a wrong check digit is none.
function parseISBN(text = '') {
  const digits = fold(text).replaceAll(' ', '');
  if (/^\d{13}$/.test(digits)) {
    return checkDigit13(digits) === digits[12] ? digits : null;
  }
  if (!/^\d{9}[\dx]$/.test(digits) || checkDigit10(digits) !== digits[9]) return null;
  const stem = `978${digits.slice(0, 9)}`;
  return stem + checkDigit13(stem);
}

// checkDigit13 makes the sum of all digits, every second one times three, a
// multiple of ten.
function checkDigit13(digits) {
  const sum = [...digits.slice(0, 12)].reduce((s, d, i) => s + d * (i % 2 ? 3 : 1), 0);
  return String((10 - (sum % 10)) % 10);
}

// checkDigit10 makes the sum of all digits, the first times ten and the last
// times one, a multiple of eleven. An x stands for ten.
function checkDigit10(digits) {
  const sum = [...digits.slice(0, 9)].reduce((s, d, i) => s + d * (10 - i), 0);
  return '0123456789x'[(11 - (sum % 11)) % 11];
}
