import { Parser } from "htmlparser2";
import { Refusal } from "./refusal.ts";

/** Nobody's documents are nested deeper. */
const deepest = 1_000;

/** By name, prefix and all, as the document has it. */
export type XmlAttributes = Readonly<Record<string, string>>;

/** Elements by their names without a prefix. */
export interface XmlSink {
  open?(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  text?(text: string): void;
  /** Nothing more is wanted. */
  readonly isDone?: boolean;
}

/**
 * Reads XML piece by piece. Entities that a document declares itself stay as they are written, so that none can grow. Throws a
 * `Refusal` where it is nested too deep.
 */
export async function readXml(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, sink: XmlSink): Promise<void> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > deepest) throw new Refusal(`it is nested deeper than ${deepest} levels`);
        sink.open?.(localName(name), attributes);
      },
      onclosetag: (name) => {
        depth -= 1;
        sink.close?.(localName(name));
      },
      ontext: (text) => sink.text?.(text),
    },
    { xmlMode: true, decodeEntities: true },
  );
  for await (const chunk of chunks) {
    decoder ??= decoderFor(chunk);
    parser.write(decoder.decode(chunk, { stream: true }));
    if (sink.isDone) return;
  }
  parser.end(decoder?.decode());
}

/** An attribute by its name without a prefix. */
export function attribute(attributes: XmlAttributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const key = Object.keys(attributes).find((one) => localName(one) === name);
  return key === undefined ? undefined : attributes[key];
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** By the mark at the beginning, or by what the first line says. */
function decoderFor(start: Uint8Array): InstanceType<typeof TextDecoder> {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  const head = Buffer.from(start.subarray(0, 200)).toString("latin1");
  const label = /^<\?xml[^>]{0,100}encoding=["']([\w.-]{1,40})["']/.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
