// What of the schemas matters when a value is shown as JSON: the order of fields, what a null means, what is an offset.
import { topics, type EventTopic } from './generated/topics.generated.js';

/** How a value of a type is shown. `plain` is shown as it is: numbers, strings, booleans, enums. */
export type Shape = RecordShape | { kind: 'array'; items: Shape } | { kind: 'map'; values: Shape } | { kind: 'plain' };

export interface RecordShape {
  kind: 'record';
  /** In the order of the schema. */
  fields: readonly FieldShape[];
  names: ReadonlySet<string>;
  /** Whether `begin` and `end` are a place in the document's text. */
  isSpan: boolean;
}

export interface FieldShape {
  name: string;
  shape: Shape;
  /** Whether the schema says what the field's null means (`doc`: "…; null when …"): such a null is an answer. */
  isNullAnswer: boolean;
}

/** A schema as its file has it. Unions are null and one type (tools/contracts). */
type AvroType = string | readonly AvroType[] | AvroDefinition;

interface AvroDefinition {
  type: AvroType;
  name?: string;
  fields?: readonly { name: string; type: AvroType; doc?: string }[];
  items?: AvroType;
  values?: AvroType;
}

const shapesByTopic = new Map<EventTopic, ReadonlyMap<string, RecordShape>>();

/** The records of a topic's latest version, by simple name. Made once. */
export function recordShapes(topic: EventTopic): ReadonlyMap<string, RecordShape> {
  let shapes = shapesByTopic.get(topic);
  if (shapes === undefined) {
    const records = new Map<string, RecordShape>();
    shapeOf(JSON.parse(topics[topic].versions.at(-1)?.schema ?? '"null"') as AvroType, records);
    shapes = records;
    shapesByTopic.set(topic, shapes);
  }
  return shapes;
}

const plain: Shape = { kind: 'plain' };

function shapeOf(type: AvroType, records: Map<string, RecordShape>): Shape {
  if (typeof type === 'string') return records.get(type) ?? plain;
  if (isUnion(type)) return shapeOf(type.find((branch) => branch !== 'null') ?? 'null', records);
  if (type.fields !== undefined) return recordShape(type, records);
  if (type.items !== undefined) return { kind: 'array', items: shapeOf(type.items, records) };
  if (type.values !== undefined) return { kind: 'map', values: shapeOf(type.values, records) };
  return typeof type.type === 'string' ? plain : shapeOf(type.type, records);
}

const isUnion = (type: AvroType): type is readonly AvroType[] => Array.isArray(type);

function recordShape({ name = '', fields = [] }: AvroDefinition, records: Map<string, RecordShape>): RecordShape {
  const names = new Set(fields.map((field) => field.name));
  const shapes: FieldShape[] = [];
  const shape: RecordShape = { kind: 'record', fields: shapes, names, isSpan: names.has('begin') && names.has('end') };
  // Before its fields, for they may hold the record again.
  records.set(name, shape);
  for (const { name: field, type, doc = '' } of fields) {
    shapes.push({ name: field, shape: shapeOf(type, records), isNullAnswer: /;\s+null\b/.test(doc) });
  }
  return shape;
}
