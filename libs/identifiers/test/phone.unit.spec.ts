import { describe, expect, it } from '@jest/globals';
import { findIdentifiers } from '../src/index.js';

const phones = (text: string): string[] =>
  findIdentifiers(text).flatMap(({ type, text: value }) => (type === 'PHONE' ? [value] : []));

describe('telephone numbers', () => {
  it.each([
    ['an international number', 'at +49 30 1234567 today', ['+49 30 1234567']],
    ['an international number with 00', 'Fax 0049 30 1234567', ['0049 30 1234567']],
    ['a French number', 'Bureau: +33 1 42 68 53 00.', ['+33 1 42 68 53 00']],
    ['an Israeli number', 'ring +972-3-6957361 now', ['+972-3-6957361']],
    ['a number with an area code of one digit', '(+61 2 9374 4000)', ['+61 2 9374 4000']],
    ['such a number with 00', '0033 1 42 68 53 00', ['0033 1 42 68 53 00']],
    ['such a number with stops', '+33.1.42.68.53.00', ['+33.1.42.68.53.00']],
    ['a number between marks of direction', '\u200e+972 3 695 7361\u200e', ['+972 3 695 7361']],
    ['a trunk zero in brackets', '+46 (0)8 928 571 38', ['+46 (0)8 928 571 38']],
    ['a link', 'tel:+14155550132', ['+14155550132']],
    ['a North American number', 'or 415-555-0132.', ['415-555-0132']],
    ['brackets and an extension', 'Call (415) 555-0132 ext. 12 now', ['(415) 555-0132 ext. 12']],
    ['two numbers in a row', '(415) 555-0132 (415) 555-0199', ['(415) 555-0132', '(415) 555-0199']],
    ['two numbers with a slash', '020 7946 0958 / 020 7946 0959', ['020 7946 0958', '020 7946 0959']],
    ['pairs after a trunk zero', 'le 01 84 17 61 18', ['01 84 17 61 18']],
    ['a short number that a word announces', 'Phone: 555-1234', ['555-1234']],
    ['a number that a label on the line before announces', 'Mobile:\n9498777106', ['9498777106']],
    ['a number with its label behind', '416 60 039 office', ['416 60 039']],
    ['a number before another one', 'Call 415-555-0132 24 hours a day', ['415-555-0132']],
  ])('are found: %s', (_name, text, expected) => {
    expect(phones(text)).toEqual(expected);
  });

  it.each([
    ['years', 'in office 1945-1946 and 2001-2005'],
    ['dates', 'tel 12.03.2004 and 2004-03-12'],
    ['amounts', 'They call for $1 234 567 890 and 1.250.300 more'],
    ['counted things', 'The call drew 1 250 300 people'],
    ['a book', 'ISBN 978-3-16-148410-0 or 0-306-40615-2'],
    ['an order', 'Call about order number 12345678'],
    ['an account', 'Your account 4567 1234 is open'],
    ['layers of a network', 'hidden sizes 512 256 1024'],
    ['a part of a longer number', 'DE88 3704 0044 0532 0130 00'],
    ['an emergency number', 'call 911'],
    ['a policy, whatever its form', 'a part of policy number 01-412-81-42 issued to you'],
    ['a customer, padded with zeros', 'customer 0049301234567'],
    ['a postcode before a telephone’s label', 'Michigan 48640-0569 Telephone: none'],
    ['a parcel', 'UPS 1Z999AA10123456784'],
  ])('are not %s', (_name, text) => {
    expect(phones(text)).toEqual([]);
  });

  it('leave the label of the next number to it', () => {
    expect(phones('Michigan 48640-0569 Telephone: 989-839-5350')).toEqual(['989-839-5350']);
  });

  it('are confirmed by the numbering plan of the country that they name, and only then', () => {
    const validators = (text: string) => findIdentifiers(text).map(({ validator, score }) => [validator, score]);
    expect(validators('+49 30 1234567')).toEqual([['numbering-plan', 1]]);
    expect(validators('415-555-0132')).toEqual([['syntax', null]]);
  });
});
