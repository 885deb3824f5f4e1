import { PoisonMessage } from '@anabranch/failures';

// Confluent's wire format: a zero byte, the schema id (32 bits, big-endian), the Avro body.

export const headerBytes = 5;
const magicByte = 0;

/** Writes the header to the first five bytes of a record's value. */
export function writeHeader(value: Buffer, schemaId: number): void {
  value.writeUInt8(magicByte, 0);
  value.writeInt32BE(schemaId, 1);
}

/**
 * Splits a record's value into the id of its writer's schema and the Avro body, without copying.
 * @throws PoisonMessage DECODE_FAILED
 */
export function readHeader(value: Buffer): { schemaId: number; body: Buffer } {
  if (value.length < headerBytes) {
    throw new PoisonMessage('DECODE_FAILED', `The value has ${value.length} bytes, too few for the wire format.`);
  }
  if (value.readUInt8(0) !== magicByte) {
    throw new PoisonMessage('DECODE_FAILED', `The value begins with byte ${value.readUInt8(0)}, not with 0.`);
  }
  return { schemaId: value.readInt32BE(1), body: value.subarray(headerBytes) };
}
