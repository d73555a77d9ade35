/** A property as [MS-OXTNEF] section 2.1.3.4 writes it: its type, its identifier, its values; or a name before them. */
export interface TnefProperty {
  readonly type: number;
  readonly id: number;
  readonly name?: string;
  readonly values: readonly Buffer[];
}

const variable: ReadonlySet<number> = new Set([0x0d, 0x1e, 0x1f, 0x102]);

/** A file of TNEF with these attributes, each with its level and its identifier. */
export function tnef(...attributes: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x223e9f78);
  head.writeUInt16LE(1, 4);
  return Buffer.concat([head, attribute(1, 0x00089006, long(0x00010000)), ...attributes]);
}

export function attribute(level: 1 | 2, id: number, data: Buffer): Buffer {
  const sum = data.reduce((total, byte) => (total + byte) & 0xffff, 0);
  return Buffer.concat([Buffer.from([level]), long(id), long(data.length), data, short(sum)]);
}

export function properties(...list: readonly TnefProperty[]): Buffer {
  return Buffer.concat([long(list.length), ...list.map(property)]);
}

function property({ type, id, name, values }: TnefProperty): Buffer {
  const isVariable = variable.has(type & 0xfff);
  const isCounted = isVariable || type >= 0x1000;
  const written = values.map((value) =>
    isVariable ? Buffer.concat([long(value.length), padded(value)]) : padded(value),
  );
  const named = name === undefined ? [] : nameOf(name);
  return Buffer.concat([short(type), short(id), ...named, ...(isCounted ? [long(values.length)] : []), ...written]);
}

function nameOf(name: string): readonly Buffer[] {
  const text = unicode(name);
  return [Buffer.alloc(16, 7), long(1), long(text.length), padded(text)];
}

/** An attachment: where it begins, its title, its bytes, and its properties. */
export function attachment(title: string, content: Buffer | undefined, ...list: readonly TnefProperty[]): Buffer {
  return Buffer.concat([
    attribute(2, 0x00069002, Buffer.alloc(14)),
    attribute(2, 0x00018010, Buffer.from(`${title}\0`, "latin1")),
    ...(content === undefined ? [] : [attribute(2, 0x0006800f, content)]),
    ...(list.length === 0 ? [] : [attribute(2, 0x00069005, properties(...list))]),
  ]);
}

/** A text of the type `PtypString`, which ends with a zero. */
export function unicode(text: string): Buffer {
  return Buffer.from(`${text}\0`, "utf16le");
}

/** RTF that is stored as it is ([MS-OXRTFCP] section 2.1.3.1.1). */
export function storedRtf(rtf: string): Buffer {
  const bytes = Buffer.from(rtf, "latin1");
  return Buffer.concat([long(bytes.length + 12), long(bytes.length), Buffer.from("MELA"), long(0), bytes]);
}

function padded(value: Buffer): Buffer {
  return Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
