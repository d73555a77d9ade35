import { BrokenTnef, ByteReader } from "./byte-reader.ts";

/** What a property holds: the bytes of its first value. */
export interface Property {
  readonly type: number;
  readonly value: Buffer;
}

/** Types of values ([MS-OXCDATA] section 2.11.1). */
export const propertyTypes = { object: 0x0d, string8: 0x1e, unicode: 0x1f, binary: 0x102 } as const;

/** How many bytes the others take; what is shorter than four bytes is padded. */
const fixedLengths: ReadonlyMap<number, number> = new Map([
  [0x01, 4],
  [0x02, 4],
  [0x03, 4],
  [0x04, 4],
  [0x05, 8],
  [0x06, 8],
  [0x07, 8],
  [0x0a, 4],
  [0x0b, 4],
  [0x14, 8],
  [0x40, 8],
  [0x48, 16],
]);
const variable: ReadonlySet<number> = new Set(Object.values(propertyTypes));

const multiple = 0x1000;
const firstNamed = 0x8000;
const most = 2_000;

/**
 * A counted list of properties by their identifier, without those that have names ([MS-OXTNEF] section 2.1.3.4; `attMAPIProps` in the
 * MAPI documentation). Reads the bytes once.
 */
export function readProperties(bytes: Buffer): ReadonlyMap<number, Property> {
  const reader = new ByteReader(bytes);
  const properties = new Map<number, Property>();
  const count = reader.long();
  if (count > most) throw new BrokenTnef(`${count} properties are too many`);
  for (let n = 0; n < count; n += 1) {
    const type = reader.short();
    const id = reader.short();
    if (id >= firstNamed) skipName(reader);
    const value = readValues(reader, type);
    if (id < firstNamed && !properties.has(id)) properties.set(id, { type: type & ~multiple, value });
  }
  return properties;
}

/** A GUID, and a number or a text. */
function skipName(reader: ByteReader): void {
  reader.bytes(16);
  if (reader.long() === 0) reader.long();
  else readPadded(reader);
}

function readValues(reader: ByteReader, type: number): Buffer {
  const single = type & ~multiple;
  const isVariable = variable.has(single);
  const length = fixedLengths.get(single);
  if (!isVariable && length === undefined) throw new BrokenTnef(`a property is of the unknown type ${type}`);
  const count = isVariable || (type & multiple) !== 0 ? reader.long() : 1;
  if (count > most) throw new BrokenTnef(`${count} values are too many`);
  let first: Buffer | undefined;
  for (let n = 0; n < count; n += 1) {
    const value = length === undefined ? readPadded(reader) : reader.bytes(length);
    first ??= value;
  }
  return first ?? Buffer.alloc(0);
}

/** Its length does not count what fills it up to four bytes, which may be left out at the end. */
function readPadded(reader: ByteReader): Buffer {
  const length = reader.long();
  const value = reader.bytes(length);
  reader.bytes(Math.min(reader.left, (4 - (length % 4)) % 4));
  return value;
}
