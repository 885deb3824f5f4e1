import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findIdentifiers, scanIdentifiers } from '../src/index.js';

const found = (text: string): string[] => findIdentifiers(text).map(({ type, text: value }) => `${type} ${value}`);

const scanWith = (text: string, windowLength: number): unknown => {
  const scan = scanIdentifiers(text, windowLength);
  for (;;) {
    const step = scan.next();
    if (step.done === true) return step.value;
  }
};

const fragment = fc.constantFrom(
  '4111 1111 1111 1111', '5500005555555559', '378282246310005', 'DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432',
  'jane.doe@example.com', 'https://example.com/a?b=c', '123-45-6789', '192.168.1.77', '😀', 'e\u0301', '\u05d0\u05d1',
  '+49 30 1234567', 'call 4567 1234', '(415) 555-0132', 'RSSMRA85T10A562S', 'NHS 943 476 5919', 'fe80::1ff:fe23:4567:890a',
  'AKIAIOSFODNN7EXAMPLE', 'api_key=a8f5f167f44f4964e6c998dee827110c', 'https://user:pa55word@example.com/x', 'ssn', 'tel',
  '-----BEGIN PRIVATE KEY-----\n', '-----END PRIVATE KEY-----', 'eyJhbGciOiJub25lIn0.e30x.', '\u200b', '\u202e', '=', ':',
  '\r\n', ' ', ' ', ', ', '1234', '-', '.', '@', 'http://', 'x'.repeat(70), '\u200f', '谢谢', '٤١١١ ١١١١ ١١١١ ١١١١', '4111\u200b1111\u202f1111\u20111111', '\u00ad', '５',
); // prettier-ignore
const mixed = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(''));

describe('findIdentifiers', () => {
  it.each([
    ['a card in groups', 'pay 4111 1111 1111 1111 now', ['CARD 4111 1111 1111 1111']],
    ['a card in one run', '5500005555555559', ['CARD 5500005555555559']],
    ['an American Express card', '3782 822463 10005.', ['CARD 3782 822463 10005']],
    ['a card before its expiry date', '4111 1111 1111 1111 2027', ['CARD 4111 1111 1111 1111']],
    ['a card after another group', '1234 4111 1111 1111 1111', ['CARD 4111 1111 1111 1111']],
    ['two cards in a row', '4111111111111111 5500005555555559', ['CARD 4111111111111111', 'CARD 5500005555555559']],
    ['a card in a row of a file', 'Smith,4111111111111111,12/27', ['CARD 4111111111111111']],
    [
      'cards in groups in a row',
      '4111 1111 1111 1111 5500 0055 5555 5559',
      ['CARD 4111 1111 1111 1111', 'CARD 5500 0055 5555 5559'],
    ],
    ['a card before its code and date', '4111 1111 1111 1111 123 2027', ['CARD 4111 1111 1111 1111']],
    ['an IBAN in groups', 'IBAN: DE89 3704 0044 0532 0130 00.', ['IBAN DE89 3704 0044 0532 0130 00']],
    ['an IBAN before a word in capitals', 'AT61 1904 3002 3457 3201 CODE', ['IBAN AT61 1904 3002 3457 3201']],
    ['an IBAN in one run', 'GB82WEST12345698765432', ['IBAN GB82WEST12345698765432']],
    ['a card with narrow spaces', '4111\u202f1111\u202f1111\u202f1111', ['CARD 4111\u202f1111\u202f1111\u202f1111']],
    ['a card with hyphens that do not break', '4111‑1111‑1111‑1111', ['CARD 4111‑1111‑1111‑1111']],
    ['a card with dashes', '4111–1111–1111–1111', ['CARD 4111–1111–1111–1111']],
    ['a card in Arabic digits', 'رقم ٤١١١ ١١١١ ١١١١ ١١١١.', ['CARD ٤١١١ ١١١١ ١١١١ ١١١١']],
    ['a card in Devanagari digits', 'कार्ड ४१११११११११११११११', ['CARD ४१११११११११११११११']],
    [
      'a full-width IBAN',
      '口座ＤＥ８９３７０４００４４０５３２０１３０００',
      ['IBAN ＤＥ８９３７０４００４４０５３２０１３０００'],
    ],
    [
      'a card with zero-width spaces inside',
      'x 4111\u200b1111\u200b1111\u200b1111\u200b y',
      ['CARD 4111\u200b1111\u200b1111\u200b1111'],
    ],
    ['a card between marks of direction', '\u202a4111 1111 1111 1111\u202c', ['CARD 4111 1111 1111 1111']],
    ['an address with a joiner inside', 'to jane\u200d@example.com', ['EMAIL jane\u200d@example.com']],
    ['a social security number', 'SSN 123-45-6789', ['SSN 123-45-6789']],
    ['an e-mail address', "Write to jane.o'neil+x@mail.example.co.uk.", ["EMAIL jane.o'neil+x@mail.example.co.uk"]],
    ['an e-mail address between Chinese characters', '联系bob@x.com谢谢', ['EMAIL bob@x.com']],
    ['an e-mail address with accents whole', 'bücher@käse.example', ['EMAIL bücher@käse.example']],
    ['a URL without the sentence’s stop', 'See https://example.com/a.', ['URL https://example.com/a']],
    ['a URL without the bracket around it', '(see www.example.com/b)', ['URL www.example.com/b']],
    ['a URL with its own brackets', 'https://e.org/wiki/Tee_(a)', ['URL https://e.org/wiki/Tee_(a)']],
    ['an IBAN in small letters', 'iban gb82 west 1234 5698 7654 32', ['IBAN gb82 west 1234 5698 7654 32']],
    ['an IBAN with hyphens', 'FR14-2004-1010-0505-0001-3M02-606', ['IBAN FR14-2004-1010-0505-0001-3M02-606']],
    ['a card of a length that is rare, where cards are spoken of', 'my card 630427373398', ['CARD 630427373398']],
    ['a social security number without marks, where one is announced', 'SSN 123 45 6789', ['SSN 123 45 6789']],
    ['a host with a path', 'see github.com/example/repo.', ['URL github.com/example/repo']],
    ['an IPv4 address', 'from 203.0.113.9, ok', ['IP 203.0.113.9']],
    ['an IPv4 address of small numbers, where one is announced', 'DNS server 8.8.8.8', ['IP 8.8.8.8']],
    ['an IPv4 address of small numbers at a database', 'The database on 10.20.4.17 is full', ['IP 10.20.4.17']],
    ['an IPv6 address', 'from fe80::1ff:fe23:4567:890a ok', ['IP fe80::1ff:fe23:4567:890a']],
  ])('finds %s', (_kind, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    ['a card with a wrong check digit', '4111 1111 1111 1112'],
    ['four numbers of a table’s row that pass as a card', '5490 9717 8726 7960 8208 1171 4435'],
    ['numbers of a table’s row behind others', '3061 7435 4250 8487 3913 6175 1712 1000 2000'],
    ['one digit repeated', '0000 0000 0000 0000'],
    ['a card inside a longer number', '94111111111111111234567'],
    ['digits of an amount', '4,111,111,111,111,111.11'],
    ['an IBAN with a wrong checksum', 'DE88 3704 0044 0532 0130 00'],
    ['an IBAN of a wrong length', 'DE89 3704 0044 0532 0130'],
    ['an SSN from a range never issued', '666-12-3456 900-12-3456 123-00-4567'],
    ['an octet above 255, and a version of five parts', '256.1.1.1 1.2.3.4.5'],
    ['the number of a section or version', 'Section 3.2.1.4 of version 10.0.19.41'],
    ['an outline number', '3.1.2.4 The Supplier shall deliver.'],
    ['a company called by its host', 'Amazon.com and Booking.com'],
    ['names in C++, times and hardware addresses', 'std::vector a::b 12:30:45 00:1b:44:11:3a:b7'],
    ['an article number of a card’s rare length', 'item 630427373398'],
    ['a licence number that ends like a card', 'U62928788557186'],
    ['nine digits that nothing announces', 'order 123456789'],
    ['a bare at sign or scheme', 'a @ b, http:// and www. alone'],
    ['an e-mail address without a top-level domain', 'root@localhost'],
  ])('does not find %s', (_kind, text) => {
    expect(found(text)).toEqual([]);
  });

  it('prefers the number with a checksum to the URL around it, and the URL to an address inside it', () => {
    expect(found('https://x.org/pay?card=4111111111111111')).toEqual(['CARD 4111111111111111']);
    expect(found('https://x.org/?to=bob@x.com')).toEqual(['URL https://x.org/?to=bob@x.com']);
  });

  it('scores a checksum and nothing else', () => {
    expect(findIdentifiers('4111111111111111 bob@x.com 123-45-6789').map(({ score }) => score)).toEqual([
      1,
      null,
      null,
    ]);
  });

  it('claims exactly the text that stands at its offsets, in order, without overlap', () => {
    fc.assert(
      fc.property(mixed, (text) => {
        let last = 0;
        for (const { begin, end, text: value } of findIdentifiers(text)) {
          expect(text.slice(begin, end)).toBe(value);
          expect(value.isWellFormed()).toBe(true);
          expect(begin).toBeGreaterThanOrEqual(last);
          last = end;
        }
      }),
    );
  });

  it('finds the same in windows of any length', () => {
    fc.assert(
      fc.property(mixed, fc.integer({ min: 1, max: 90 }), (text, windowLength) => {
        expect(scanWith(text, windowLength)).toEqual(scanWith(text, 1_000_000));
      }),
    );
  });
});
