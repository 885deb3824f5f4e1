// Limits that producers and readers of events share. All in bytes of UTF-8, UTF-16 units or milliseconds, as named.

/** Text up to this many bytes of UTF-8 is inline; ingestion writes longer text as a claim check. */
export const inlineTextMaxBytes = 16_384;

/** A result up to this many bytes of JSON is inline; a longer one is a claim check. */
export const resultInlineMaxBytes = 65_536;

/** Longest id of a document or tenant, in UTF-16 units. */
export const idMaxLength = 512;

/** Most analyses that one document may ask for. */
export const requestedAnalysesMax = 100;

/** Longest deadline: a year. */
export const deadlineMaxMs = 31_536_000_000;

/** Latest moment that every reader can write as a date: the end of the year 9999. */
export const timestampMaxMs = 253_402_300_799_999;
