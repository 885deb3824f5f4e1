import { describe, expect, it } from '@jest/globals';
import { decodeText } from '../src/documents/charset.js';

const bytes = (...values: number[]) => Uint8Array.from(values);
const utf8 = (text: string) => Buffer.from(text, 'utf8');
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the character set of a body', () => {
  it.each([
    { what: 'nothing at all', body: bytes(), declared: undefined, text: '', charset: 'utf-8' },
    { what: 'valid UTF-8', body: utf8('Zoë ☂ 😀'), declared: undefined, text: 'Zoë ☂ 😀', charset: 'utf-8' },
    { what: 'latin-1 bytes', body: bytes(0x5a, 0x6f, 0xeb), declared: undefined, text: 'Zoë', charset: 'windows-1252' },
    {
      what: 'windows-1252 quotes and dashes',
      body: bytes(0x93, 0x41, 0x94, 0x20, 0x96, 0x20, 0x80),
      declared: undefined,
      text: '“A” – €',
      charset: 'windows-1252',
    },
    {
      what: 'UTF-8 that is cut in the middle of a character',
      body: utf8('Zoë').subarray(0, 3),
      declared: undefined,
      text: 'ZoÃ',
      charset: 'windows-1252',
    },
    {
      what: 'an overlong form, which is not UTF-8',
      body: bytes(0xc0, 0x80),
      declared: undefined,
      text: 'À€',
      charset: 'windows-1252',
    },
    {
      what: 'a surrogate in UTF-8, which is not UTF-8',
      body: bytes(0xed, 0xa0, 0x80),
      declared: undefined,
      text: 'í\u00a0€',
      charset: 'windows-1252',
    },
    {
      what: 'a UTF-8 byte order mark',
      body: Buffer.concat([bytes(0xef, 0xbb, 0xbf), utf8('Zoë')]),
      declared: undefined,
      text: 'Zoë',
      charset: 'utf-8',
    },
    {
      what: 'a UTF-16 little-endian mark',
      body: Buffer.concat([bytes(0xff, 0xfe), utf16le('Zoë 😀')]),
      declared: undefined,
      text: 'Zoë 😀',
      charset: 'utf-16le',
    },
    {
      what: 'a UTF-16 big-endian mark',
      body: Buffer.concat([bytes(0xfe, 0xff), utf16be('Zoë 😀')]),
      declared: undefined,
      text: 'Zoë 😀',
      charset: 'utf-16be',
    },
    {
      what: 'a mark that contradicts the header',
      body: Buffer.concat([bytes(0xfe, 0xff), utf16be('Zoë')]),
      declared: 'utf-8',
      text: 'Zoë',
      charset: 'utf-16be',
    },
    {
      what: 'declared UTF-16 without a mark',
      body: utf16le('Zoë'),
      declared: 'utf-16',
      text: 'Zoë',
      charset: 'utf-16le',
    },
    { what: 'declared UTF-16BE', body: utf16be('Zoë'), declared: 'UTF-16BE', text: 'Zoë', charset: 'utf-16be' },
    { what: 'declared windows-1252', body: bytes(0x80), declared: 'windows-1252', text: '€', charset: 'windows-1252' },
    {
      what: 'declared windows-1252 whose bytes are also valid UTF-8',
      body: utf8('ë'),
      declared: 'windows-1252',
      text: 'Ã«',
      charset: 'windows-1252',
    },
    {
      what: 'declared latin-1, which the Encoding Standard reads as windows-1252',
      body: bytes(0x80, 0xeb),
      declared: 'ISO-8859-1',
      text: '€ë',
      charset: 'windows-1252',
    },
    {
      what: 'declared Shift JIS',
      body: bytes(0x93, 0xfa, 0x96, 0x7b),
      declared: 'shift_jis',
      text: '日本',
      charset: 'shift_jis',
    },
    { what: 'declared KOI8-R', body: bytes(0xed, 0xc9, 0xd2), declared: 'koi8-r', text: 'Мир', charset: 'koi8-r' },
  ])('is found for $what', ({ body, declared, text, charset }) => {
    expect(decodeText(body, declared)).toEqual({ text, charset });
  });

  it.each([
    { what: 'UTF-8', body: bytes(0x5a, 0xeb), declared: 'utf-8' },
    { what: 'UTF-16 with a lone surrogate', body: utf16le('a\ud800b'), declared: 'utf-16le' },
    { what: 'UTF-16 that is cut', body: bytes(0xff, 0xfe, 0x41), declared: undefined },
  ])('is refused when the body is not the $what that it says it is', ({ body, declared }) => {
    expect(() => decodeText(body, declared)).toThrow(expect.objectContaining({ code: 'INVALID_ENCODING' }));
  });

  it.each(['utf-7', 'klingon', 'replacement'])('is refused when it is %s, which nobody may read', (declared) => {
    expect(() => decodeText(utf8('text'), declared)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_CHARSET' }));
  });
});
