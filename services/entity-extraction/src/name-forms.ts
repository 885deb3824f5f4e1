// What the form of a name says about its type, in any text: a title stands before a person, "Ltd" at the end of a company.
import { type Emissions, isShouted } from './emissions.js';
import { isCapitalised } from './known-names.js';
import { nameTypes, positions, tagCount, tagOf } from './perceptron.js';

// Decides whatever the weights say: their decisions differ by some hundreds at most.
const decisive = 2_000;
// Draws the rest of a name to it, where the weights leave it open: a company's is mostly all of the capitals before its
// legal form, a person's may be followed by another capital.
const inclining = { company: 250, person: 60, office: 150 };
const maxNameTokens = 8;

const person = nameTypes.indexOf('PERSON');
const organization = nameTypes.indexOf('ORGANIZATION');

/** Titles of one person; "Dr." may be a street as well. */
export const title = /^(?:mrs?|ms|miss|dr|mx|prof)\.?$/i;

// Offices stand before full names, and before much else: they only incline.
const office =
  /^(?:Captain|Chairman|Chairwoman|Chancellor|Chief|Coach|Commissioner|Detective|Director|Executive|Governor|Inspector|Judge|Justice|Lieutenant|Lord|Lady|Manager|Mayor|Minister|Officer|President|Professor|Secretary|Senator|Sergeant|Sheriff|Sir|Spokesman|Spokeswoman|Superintendent)$/;

const isAfterOffice = (words: readonly string[], index: number): boolean =>
  office.test(words[index - 1] ?? '') && [index, index + 1].every((at) => isGivenName(words[at]));
const isGivenName = (word: string | undefined): boolean => isCapitalised(word) && !office.test(word ?? '');

const isTitle = (words: readonly string[], index: number): boolean => {
  const word = words[index] ?? '';
  if (!isCapitalised(word) || !title.test(word)) return false;
  return !/^dr/i.test(word) || !isCapitalised(words[index - 1]);
};

// Legal forms that hardly stand for anything else; "Co.", "AG" or "SA" do.
const legalForm =
  /^(?:Inc|Corp|Ltd|LLC|L\.L\.C|LLP|PLC|plc|GmbH|KGaA|ASA|Oyj|OÜ|ApS|Srl|SpA|Pte|Kft|Bhd|Pty|Lda|SARL|S\.A|N\.V|B\.V|S\.p\.A|L\.P)\.?$/;

const add = (emissions: Emissions, index: number, { tag, bonus }: { tag: number; bonus: number }): void => {
  const at = index * tagCount + tag;
  emissions[at] = (emissions[at] ?? 0) + bonus;
};

const addOffice = (words: readonly string[], emissions: Emissions, first: number): void => {
  add(emissions, first, { tag: tagOf(person, positions.begin), bonus: inclining.office });
  add(emissions, first + 1, { tag: tagOf(person, positions.end), bonus: inclining.office });
  if (!isCapitalised(words[first + 2])) return;
  add(emissions, first + 1, { tag: tagOf(person, positions.inside), bonus: inclining.office });
  add(emissions, first + 2, { tag: tagOf(person, positions.end), bonus: inclining.office });
};

/** "Chase & Co." */
const isAndCompany = (words: readonly string[], index: number): boolean =>
  words[index - 1] === '&' && /^Co\.?$/.test(words[index] ?? '');

const isPartOfCompany = (word: string | undefined): boolean => isCapitalised(word) || word === '&';

const addTitled = (words: readonly string[], emissions: Emissions, first: number): void => {
  for (const position of [positions.begin, positions.single]) {
    add(emissions, first, { tag: tagOf(person, position), bonus: decisive });
  }
  for (let next = first + 1; next < first + 3 && isCapitalised(words[next]); next += 1) {
    for (const position of [positions.inside, positions.end]) {
      add(emissions, next, { tag: tagOf(person, position), bonus: inclining.person });
    }
  }
};

const addCompany = (words: readonly string[], emissions: Emissions, last: number): void => {
  const end = words[last - 1] === ',' || words[last - 1] === '&' ? last - 2 : last - 1;
  if (!isCapitalised(words[end])) return;
  add(emissions, last, { tag: tagOf(organization, positions.end), bonus: decisive });
  if (end < last - 1)
    add(emissions, last - 1, { tag: tagOf(organization, positions.inside), bonus: inclining.company });
  for (let word = end; word > last - maxNameTokens && isPartOfCompany(words[word]); word -= 1) {
    const bonus = words[word] === '&' || words[word + 1] === '&' ? decisive : inclining.company;
    add(emissions, word, { tag: tagOf(organization, positions.inside), bonus });
    if (words[word] !== '&') add(emissions, word, { tag: tagOf(organization, positions.begin), bonus });
  }
};

/** Adds what the forms of names decide. Where all is in capitals, a capital says nothing. */
export const addNameForms = (words: readonly string[], emissions: Emissions): void => {
  if (isShouted(words)) return;
  for (const [index, word] of words.entries()) {
    if (isTitle(words, index - 1) && isCapitalised(word)) addTitled(words, emissions, index);
    if (isAfterOffice(words, index)) addOffice(words, emissions, index);
    if (index > 0 && (legalForm.test(word) || isAndCompany(words, index))) addCompany(words, emissions, index);
  }
};
