// Limits that producers and readers of events share. All in bytes of UTF-8, UTF-16 units or milliseconds, as named.

/** Text up to this many bytes of UTF-8 is inline; ingestion writes longer text as a claim check. */
export const inlineTextMaxBytes = 16_384;

/** A result up to this many bytes of JSON is inline; a longer one is a claim check. */
export const resultInlineMaxBytes = 65_536;

/** Largest event that a producer may count on publishing, in bytes: below a broker's default of 1 MiB, headers included. */
export const eventMaxBytes = 1_000_000;

/** Longest id of a document, a tenant, an event or a request, in UTF-16 units. */
export const idMaxLength = 512;

/** Highest revision: half of what a number holds exactly, so that arithmetic on revisions stays exact everywhere. */
export const revisionMax = 4_503_599_627_370_496;

/** Longest language tag: RFC 5646 §4.4.1 asks for room for 35 characters. */
export const languageMaxLength = 35;

/** Longest name of a character set: IANA's limit. */
export const charsetMaxLength = 40;

/** Longest media type, in UTF-16 units. */
export const mediaTypeMaxLength = 127;

/** Most labels of a document, and their size in bytes as JSON. */
export const metadataMaxKeys = 50;
export const metadataMaxBytes = 16_384;

/** Most analyses that one document may ask for. */
export const requestedAnalysesMax = 100;

/** Longest deadline: a year. */
export const deadlineMaxMs = 31_536_000_000;

/** Latest moment that every reader can write as a date: the end of the year 9999. */
export const timestampMaxMs = 253_402_300_799_999;
