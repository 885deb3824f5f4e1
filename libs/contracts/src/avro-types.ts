import avro, { type ForSchemaOptions, type Schema, type Type } from 'avsc';
import { BoundedArray, BoundedMap } from './avro-collections.js';
import { ExactInt, ExactLong, WellFormedString } from './avro-scalars.js';

const scalars = new Map<unknown, Type>([
  ['string', new WellFormedString()],
  ['long', new ExactLong()],
  ['int', new ExactInt()],
]);

function boundedType(schema: Schema, options: ForSchemaOptions): Type | undefined {
  const type: unknown = typeof schema === 'string' ? schema : (schema as { type?: unknown }).type;
  if (type === 'array') return new BoundedArray(schema, options);
  if (type === 'map') return new BoundedMap(schema, options);
  return scalars.get(type);
}

/** Above this many fields, all nested records counted, a schema is an attack (or a mistake): ours have under a hundred. */
const maxExpandedFields = 10_000;

/**
 * An avsc type whose work and memory are bounded by the bytes that it reads.
 * @throws Error for schemas that are not Avro, or that cannot be bounded
 */
export function boundedAvroType(schema: string | object): Type {
  const parsed: unknown = typeof schema === 'string' ? JSON.parse(schema) : schema;
  const type = avro.Type.forSchema(parsed as Schema, { typeHook: boundedType, omitRecordMethods: true });
  refuseUnbounded(type);
  return type;
}

/** Refuses lists of items that take no bytes, and records that multiply within records: neither is bounded by bytes. */
function refuseUnbounded(root: Type): void {
  const sizes = new Map<Type, number>();
  const fieldsOf = (type: Type): number => {
    const known = sizes.get(type);
    if (known !== undefined) return known;
    sizes.set(type, 1);
    const size = expandedSize(type, fieldsOf);
    sizes.set(type, size);
    if (size > maxExpandedFields) throw new Error('the schema has too many fields');
    return size;
  };
  fieldsOf(root);
}

function expandedSize(type: Type, fieldsOf: (type: Type) => number): number {
  if (type instanceof avro.types.RecordType) {
    return type.fields.reduce((sum, field) => sum + fieldsOf(field.type), 1);
  }
  if (type instanceof avro.types.ArrayType) {
    // The count comes first: it bounds the search for items without bytes, too.
    const size = 1 + fieldsOf(type.itemsType);
    if (takesNoBytes(type.itemsType)) throw new Error('the schema has a list of items that take no bytes');
    return size;
  }
  if (type instanceof avro.types.MapType) return 1 + fieldsOf(type.valuesType as Type);
  if (type instanceof avro.types.UnwrappedUnionType || type instanceof avro.types.WrappedUnionType) {
    return type.types.reduce((sum, branch) => sum + fieldsOf(branch), 1);
  }
  return 1;
}

function takesNoBytes(type: Type, above: readonly Type[] = []): boolean {
  if (type.typeName === 'null') return true;
  if (type instanceof avro.types.FixedType) return type.size === 0;
  if (!(type instanceof avro.types.RecordType) || above.includes(type)) return false;
  return type.fields.every((field) => takesNoBytes(field.type, [...above, type]));
}
