import { Tokenizer } from "htmlparser2";

export interface HtmlSink {
  /** Tells how much was done for it, in characters that were read. */
  begin(name: string, attributes: Attributes): number;
  end(name: string): void;
  /** Character references are decoded. One text may come in several pieces. */
  text(text: string): void;
  /** Whether the next element stands inside of SVG or MathML, where `style` and `title` hold markup. */
  isForeign(): boolean;
}

/** Decoded values by name in lower case; an attribute without a value has an empty one. */
export type Attributes = ReadonlyMap<string, string>;

/** The others are skipped, so that a tag with very many costs no memory. */
const wanted: ReadonlySet<string> = new Set(["alt", "bgcolor", "class", "color", "hidden", "href", "id", "style"]);

/** Stands for a soft hyphen and a zero width non-joiner: mail is padded with them. */
const padding: ReadonlySet<number> = new Set([0xad, 0x200c]);

/** So many characters are read before other work gets its turn: some milliseconds even of the worst HTML. */
const sliceLength = 32 * 1024;
/** So many characters of style sheets likewise. */
const workLength = 64 * 1024;

/**
 * Reads HTML as browsers take it apart, in one pass: comments, declarations and what never ends are left out. The time
 * grows with the length of the text alone, and the event loop runs in between.
 */
export async function readTokens(html: string, sink: HtmlSink): Promise<void> {
  let name = "";
  let attributes = new Map<string, string>();
  let attribute: { readonly name: string; value: string } | undefined;
  let work = 0;
  const begin = () => {
    work += sink.begin(name, attributes);
    attributes = new Map();
    if (work > workLength) tokenizer.pause();
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
      },
      onattribname: (start, end) => {
        const lower = html.slice(start, end).toLowerCase();
        // The first one counts when a name comes twice.
        attribute = wanted.has(lower) && !attributes.has(lower) ? { name: lower, value: "" } : undefined;
      },
      onattribdata: (start, end) => {
        if (attribute !== undefined) attribute.value += html.slice(start, end);
      },
      onattribentity: (codepoint) => {
        if (attribute !== undefined) attribute.value += String.fromCodePoint(codepoint);
      },
      onattribend: () => {
        if (attribute !== undefined) attributes.set(attribute.name, attribute.value);
        attribute = undefined;
      },
      onopentagend: begin,
      // HTML knows no such tags: the slash means nothing.
      onselfclosingtag: begin,
      onclosetag: (start, end) => sink.end(html.slice(start, end).toLowerCase()),
      ontext: (start, end) => sink.text(html.slice(start, end)),
      ontextentity: (codepoint) => {
        if (!padding.has(codepoint)) sink.text(String.fromCodePoint(codepoint));
      },
      isInForeignContext: () => sink.isForeign(),
      oncomment: ignored,
      oncdata: ignored,
      ondeclaration: ignored,
      onprocessinginstruction: ignored,
      onend: ignored,
    },
  );
  // Callbacks count from the start of the first slice.
  for (let at = 0; at < html.length; at += sliceLength) {
    tokenizer.write(html.slice(at, at + sliceLength));
    await othersTurn();
    while (work > workLength) {
      work = 0;
      tokenizer.resume();
      await othersTurn();
    }
  }
  tokenizer.end();
}

/** Lets the event loop run. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function ignored(): void {
  // Nothing that people see.
}
