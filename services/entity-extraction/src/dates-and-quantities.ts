import type { Span } from '@anabranch/text';

export interface Measure extends Span {
  type: 'DATE' | 'QUANTITY';
}

const month = String.raw`(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)`;
const weekday = String.raw`(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?[ \u00a0]{1,2})?`;
const day = String.raw`(?:3[01]|[12]\d|0?[1-9])`;
const year = String.raw`(?:1[5-9]|20)\d\d`;
const s = String.raw`[ \u00a0]{1,2}`;
const dates = [
  `${weekday}${month}${s}${day}(?:st|nd|rd|th)?(?!\\d)(?:,?${s}${year})?`,
  `${weekday}${day}(?:st|nd|rd|th)?${s}(?:of${s})?${month}(?:,?${s}${year})?`,
  `${month}${s}${year}`,
  `${year}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])`,
  `(?:0?[1-9]|[12]\\d|3[01])/(?:0?[1-9]|[12]\\d|3[01])/(?:${year}|\\d\\d)`,
  `(?:0?[1-9]|[12]\\d|3[01])\\.(?:0?[1-9]|1[0-2])\\.${year}`,
].join('|');

const number = String.raw`\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?|\d{1,15}(?:\.\d{1,6})?`;
const magnitude = `(?:${s}(?:thousand|million|billion|trillion))?`;
const currency = 'USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN';
const units = [
  'percent|per cent',
  `dollars|cents|euros?|pounds|pence|yen|yuan|francs|kroner|kronor|rupees|rubles|roubles|pesos|zlotys|${currency}`,
  '(?:(?:square|cubic|nautical) )?(?:kilometers|kilometres|miles|meters|metres|feet|inches|yards)',
  'kilograms|grams|tons|tonnes|ounces|liters|litres|gallons|acres|hectares|degrees|barrels|bushels|knots',
  'km/h|km|kg|cm|mm|mg|ml|mph|kph|GB|MB|TB|kHz|MHz|GHz|kWh|kW|MW|GW',
];
const unit = units.join('|');
const quantities = [
  `(?:US|A|C|HK)?[$€£¥] ?(?:${number})(?:(?:bn|[kKmMbB])(?![\\p{L}\\p{N}])|${magnitude})`,
  `(?:${currency})${s}(?:${number})${magnitude}`,
  `(?:${number})(?: ?%|${magnitude}${s}(?:${unit})(?![\\p{L}\\p{N}]))`,
].join('|');

const edges = (pattern: string): string => `(?<![\\p{L}\\p{N}$€£¥/.,-])(?:${pattern})(?![\\p{L}\\p{N}]|[/.,-]\\p{N})`;
const measure = new RegExp(`(${edges(dates)})|(${edges(quantities)})`, 'gu');

const digit = /\d/;

/** Dates with at least a day or a year next to the month, amounts of money, and numbers with a unit. Linear. */
export function findMeasures(text: string, { begin, end }: Span): Measure[] {
  const found: Measure[] = [];
  const sentence = text.slice(begin, end);
  if (!digit.test(sentence)) return found;
  // One pattern for all sentences, from its begin: a copy for each (`matchAll`) would cost more than the search.
  measure.lastIndex = 0;
  for (let match = measure.exec(sentence); match !== null; match = measure.exec(sentence)) {
    const at = begin + match.index;
    found.push({ begin: at, end: at + match[0].length, type: match[1] === undefined ? 'QUANTITY' : 'DATE' });
  }
  return found;
}
