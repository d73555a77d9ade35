import { decodePage, rtfText } from "@talaria/foreign-content";
import { BrokenTnef, ByteReader } from "./byte-reader.ts";
import { decompressRtf } from "./compressed-rtf.ts";
import { type Property, propertyTypes, readProperties } from "./property-list.ts";

/** What the mail programs of Microsoft put into one file of another mail (`winmail.dat`). */
export interface TnefMail {
  readonly body: TnefBody | undefined;
  readonly files: readonly TnefFile[];
}

export interface TnefBody {
  readonly text: string;
  readonly isHtml: boolean;
}

export interface TnefFile {
  /** As the sender wrote it. */
  readonly name: string;
  /** As the sender's program told it, or empty. */
  readonly mimeType: string;
  readonly content: Buffer;
}

/** [MS-OXTNEF] section 2.1.3.1. */
const signature = 0x223e9f78;
/** Levels and attributes ([MS-OXTNEF] sections 2.1.3.1 and 2.1.3.2), the type in the upper half. */
const levels = { message: 1, attachment: 2 } as const;
const attributes = {
  codePage: 0x00069007,
  body: 0x0002800c,
  messageProperties: 0x00069003,
  beginAttachment: 0x00069002,
  attachmentTitle: 0x00018010,
  attachmentData: 0x0006800f,
  attachmentProperties: 0x00069005,
} as const;
/** Identifiers of properties ([MS-OXPROPS]). */
const ids = {
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  codePage: 0x3fde,
  displayName: 0x3001,
  data: 0x3701,
  shortName: 0x3704,
  longName: 0x3707,
  mimeType: 0x370e,
} as const;
/** `IID_IMessage`, before an attached message: what follows is TNEF again. */
const messageId = Buffer.from("0703020000000000c000000000000046", "hex");

const mostAttributes = 2_000;
const mostFiles = 100;
/** Messages in attached messages. */
const deepest = 3;

interface Attached {
  title: string;
  data: Buffer | undefined;
  properties: ReadonlyMap<number, Property>;
}

/** Takes a file of TNEF apart. Throws `BrokenTnef` where it is none. What stands behind whole attributes is left out. */
export function readTnef(bytes: Buffer, depth = 0): TnefMail {
  const reader = new ByteReader(bytes);
  if (reader.long() !== signature) throw new BrokenTnef("the signature is another one");
  reader.short();
  const mail = new Reading(depth);
  for (let count = 0; reader.left > 0 && isLevel(reader); count += 1) {
    if (count === mostAttributes) throw new BrokenTnef("there are too many attributes");
    mail.take(reader.long(), reader.bytes(reader.long()));
    // Programs differ in how they sum it up, and nothing hangs on it.
    reader.bytes(Math.min(2, reader.left));
  }
  return mail.finish();
}

/** Some servers add lines behind the last attribute. */
function isLevel(reader: ByteReader): boolean {
  const level = reader.byte();
  return level === levels.message || level === levels.attachment;
}

class Reading {
  readonly #depth: number;
  readonly #attached: Attached[] = [];
  #page = 1252;
  #plain: Buffer | undefined;
  #properties: ReadonlyMap<number, Property> = new Map();

  constructor(depth: number) {
    this.#depth = depth;
  }

  take(attribute: number, data: Buffer): void {
    const current = this.#attached.at(-1);
    if (attribute === attributes.codePage && data.length >= 4) this.#page = data.readUInt32LE(0);
    else if (attribute === attributes.body) this.#plain = data;
    else if (attribute === attributes.messageProperties) this.#properties = readProperties(data);
    else if (attribute === attributes.beginAttachment) this.#begin();
    else if (current === undefined) return;
    else if (attribute === attributes.attachmentTitle) current.title = this.#decoded(data);
    else if (attribute === attributes.attachmentData) current.data = data;
    else if (attribute === attributes.attachmentProperties) current.properties = readProperties(data);
  }

  finish(): TnefMail {
    const files = this.#attached.flatMap((attached) => this.#filesOf(attached));
    if (files.length > mostFiles) throw new BrokenTnef("there are too many files");
    return { body: this.#body(), files };
  }

  #begin(): void {
    if (this.#attached.length === mostFiles) throw new BrokenTnef("there are too many files");
    this.#attached.push({ title: "", data: undefined, properties: new Map() });
  }

  /** Plain before formatted, as in a mail. */
  #body(): TnefBody | undefined {
    const plain = this.#text(this.#properties, ids.body) || this.#decoded(this.#plain ?? Buffer.alloc(0));
    if (plain.trim() !== "") return { text: plain, isHtml: false };
    const html = this.#html();
    if (html.trim() !== "") return { text: html, isHtml: true };
    const rtf = this.#properties.get(ids.rtf)?.value;
    const text = rtf === undefined || rtf.length === 0 ? "" : rtfText(decompressRtf(rtf));
    return text === "" ? undefined : { text, isHtml: false };
  }

  #html(): string {
    const html = this.#properties.get(ids.html);
    if (html === undefined || html.type !== propertyTypes.binary) return this.#text(this.#properties, ids.html);
    const page = this.#properties.get(ids.codePage)?.value;
    return decodePage(html.value, page?.length === 4 ? page.readUInt32LE(0) : this.#page);
  }

  #filesOf({ title, data, properties }: Attached): readonly TnefFile[] {
    const text = (id: number) => this.#text(properties, id);
    const name = text(ids.longName) || title || text(ids.shortName) || text(ids.displayName);
    const own = properties.get(ids.data);
    const content = own?.value ?? data;
    if (content === undefined) return [];
    if (own?.type !== propertyTypes.object) return [{ name, mimeType: text(ids.mimeType), content }];
    // An object begins with what it is: a message, or what only the program that made it can open.
    const inner = content.subarray(messageId.length);
    if (!content.subarray(0, messageId.length).equals(messageId)) return [{ name, mimeType: "", content: inner }];
    return this.#depth === deepest ? [] : filesOfMessage(readTnef(inner, this.#depth + 1), name);
  }

  #text(properties: ReadonlyMap<number, Property>, id: number): string {
    const property = properties.get(id);
    if (property?.type === propertyTypes.unicode) return withoutEnd(new TextDecoder("utf-16le").decode(property.value));
    return property?.type === propertyTypes.string8 ? this.#decoded(property.value) : "";
  }

  #decoded(bytes: Buffer): string {
    return withoutEnd(decodePage(bytes, this.#page));
  }
}

/** Of an attached message its words are a file, and its files stand beside it. */
function filesOfMessage({ body, files }: TnefMail, name: string): readonly TnefFile[] {
  if (body === undefined) return files;
  const type = body.isHtml ? "html" : "plain";
  const ending = body.isHtml ? ".html" : ".txt";
  return [
    { name: `${name || "message"}${ending}`, mimeType: `text/${type}`, content: Buffer.from(body.text) },
    ...files,
  ];
}

/** Texts end with a zero. */
function withoutEnd(text: string): string {
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}
