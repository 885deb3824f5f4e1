// Results as JSON shows them, over HTTP, in `document.enriched` and in the object store: the one place that decides it.
import { recordShapes, type RecordShape, type Shape } from './record-shape.js';
import { analysisTopics } from './topics.js';
import type { AnalysisTopic } from './generated/topics.generated.js';

/** What an offset, in code points, becomes. */
export type OffsetTranslation = (codePoint: number) => number;

/** Records that the events of all analyses share, with the types that they have there. */
export type SharedRecord = 'Engine' | 'Coverage' | 'Usage';

type Members = Record<string, unknown>;

/**
 * An analysis' result in the form that JSON shows: fields in the order of the schema; no null, unless the schema says what
 * it means there; no record in which nothing is left. What the schema does not know, such as fields of a newer writer, comes
 * after the others, as it is. Lists and maps stay, also empty ones. Rendering again changes nothing.
 * @param analysis the result of one that has no schema here is shown as it is
 * @param offsetOf for each `begin` and `end` of an object that has both; unless given, they stay. What it throws is thrown.
 */
export function renderResult(analysis: string, result: unknown, offsetOf?: OffsetTranslation): unknown {
  resultShapes ??= new Map(analysisTopics.map((topic) => [topic.analysis, resultShape(topic)]));
  return rendered(resultShapes.get(analysis) ?? unknownShape, result, offsetOf);
}

/** A record that the events of all analyses share, in the same form. */
export function renderRecord<T extends object>(name: SharedRecord, record: T): Partial<T> {
  return rendered(recordShapes('document.enriched').get(name) ?? unknownShape, record) as Partial<T>;
}

const unknownShape: Shape = { kind: 'plain' };
let resultShapes: Map<string | null, Shape> | undefined;

/** `resultSchema` is the record's full name and its version. */
function resultShape({ name, resultSchema }: (typeof analysisTopics)[number]): Shape {
  const record = /(\w+)\/v\d+$/.exec(resultSchema ?? '')?.[1] ?? '';
  return recordShapes(name as AnalysisTopic).get(record) ?? unknownShape;
}

function rendered(shape: Shape, value: unknown, offsetOf?: OffsetTranslation): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = shape.kind === 'array' ? shape.items : unknownShape;
    return value.map((item) => rendered(items, item, offsetOf));
  }
  if (shape.kind === 'record') return renderedRecord(shape, value as Members, offsetOf);
  return renderedMembers(shape, value as Members, offsetOf);
}

function renderedRecord({ fields, names, isSpan }: RecordShape, record: Members, offsetOf?: OffsetTranslation) {
  const out: Members = {};
  let known = 0;
  for (const { name, shape, isNullAnswer } of fields) {
    const value = record[name];
    if (value === undefined) continue;
    known += 1;
    if (value === null) {
      if (isNullAnswer) out[name] = null;
      continue;
    }
    const member = rendered(shape, value, offsetOf);
    if (shape.kind !== 'record' || !isEmptyRecord(member)) out[name] = member;
  }
  if (isSpan && offsetOf) translateSpan(out, offsetOf);
  const all = Object.keys(record);
  if (all.length > known) {
    for (const name of all) if (!names.has(name)) setMember(out, name, rendered(unknownShape, record[name], offsetOf));
  }
  return out;
}

/** A map, or an object that no schema of ours knows: of those, too, what has a begin and an end is a place in the text. */
function renderedMembers(shape: Shape, members: Members, offsetOf?: OffsetTranslation): unknown {
  if (shape.kind !== 'map' && !offsetOf) return members;
  const values = shape.kind === 'map' ? shape.values : unknownShape;
  const out: Members = {};
  for (const [name, value] of Object.entries(members)) setMember(out, name, rendered(values, value, offsetOf));
  const isSpan = shape.kind !== 'map' && Number.isInteger(out.begin) && Number.isInteger(out.end);
  if (isSpan && offsetOf) translateSpan(out, offsetOf);
  return out;
}

function translateSpan(span: Members, offsetOf: OffsetTranslation): void {
  if (typeof span.begin === 'number') span.begin = offsetOf(span.begin);
  if (typeof span.end === 'number') span.end = offsetOf(span.end);
}

function isEmptyRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Assigning to `__proto__` would lose the member. */
function setMember(out: Members, name: string, value: unknown): void {
  if (name !== '__proto__') out[name] = value;
  else Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
}
