import avro, { type Type } from 'avsc';

/** Where an event first breaks its schema, and what the schema asks for there; never a value, nor a key of a map. */
export function firstFault(type: Type, event: unknown): string {
  const faults: string[] = [];
  type.isValid(event, {
    errorHook: (path, _value, expected) => {
      if (faults.length === 0) faults.push(`${fieldPath(type, path) || 'the event'} is not ${kindOf(expected)}`);
    },
  });
  return faults[0] ?? 'a value does not fit its schema';
}

const kindOf = (type: Type): string =>
  type instanceof avro.types.UnwrappedUnionType ? type.types.map(kindOf).join(' or ') : (type.name ?? type.typeName);

/** The path with a star for keys of maps: those are the producer's data. */
function fieldPath(root: Type, path: readonly string[]): string {
  let type: Type | undefined = root;
  const parts: string[] = [];
  for (const part of path) {
    type = complexBranch(type);
    parts.push(type instanceof avro.types.MapType ? '*' : part);
    type = innerType(type, part);
  }
  return parts.join('.');
}

/** Unions of ours are options: null, or one type. */
function complexBranch(type: Type | undefined): Type | undefined {
  if (!(type instanceof avro.types.UnwrappedUnionType)) return type;
  return type.types.find(({ typeName }) => typeName !== 'null');
}

function innerType(type: Type | undefined, part: string): Type | undefined {
  if (type instanceof avro.types.RecordType) return type.field(part)?.type;
  if (type instanceof avro.types.ArrayType) return type.itemsType;
  if (type instanceof avro.types.MapType) return type.valuesType as Type;
  return undefined;
}
