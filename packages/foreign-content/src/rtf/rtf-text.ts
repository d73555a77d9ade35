import { decodePage } from "./code-pages.ts";

/** Groups whose words are not those of the text. */
const unread: ReadonlySet<string> = new Set(
  (
    "fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl generator info pict object objdata " +
    "header headerl headerr headerf footer footerl footerr footerf footnote annotation xmlnstbl themedata " +
    "colorschememapping latentstyles datastore fldinst bkmkstart bkmkend filetbl htmltag mhtmltag"
  ).split(" "),
);

const signs: ReadonlyMap<string, string> = new Map([
  ["par", "\n"],
  ["line", "\n"],
  ["sect", "\n"],
  ["page", "\n"],
  ["row", "\n"],
  ["cell", "\t"],
  ["tab", "\t"],
  ["emdash", "—"],
  ["endash", "–"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
  ["emspace", " "],
  ["enspace", " "],
]);

/** Groups inside each other; deeper ones are not told apart. */
const deepest = 200;

/** Words and signs. Each costs about as much, whatever it is. */
const usualTokens = 100_000;

interface Group {
  isUnread: boolean;
  isHidden: boolean;
  /** Letters that stand for one of Unicode to old readers. */
  skip: number;
}

const outermost: Group = { isUnread: false, isHidden: false, skip: 1 };

/**
 * The words of a text in RTF, in one pass. What is hidden, and what belongs to fonts, pictures or fields, is left out. Behind
 * `mostTokens` words and signs the text ends.
 */
export function rtfText(rtf: Buffer, mostTokens = usualTokens): string {
  return new Reading(rtf.toString("latin1")).run(mostTokens);
}

const token = /\\(?:'([0-9a-fA-F]{2})|([a-zA-Z]{1,32})(-?\d{1,10})? ?|([\s\S]))|([{}])|([^\\{}\r\n]+)|[\r\n]+/g;

class Reading {
  readonly #rtf: string;
  readonly #outer: Group[] = [];
  #group: Group = { ...outermost };
  #page = 1252;
  #text = "";
  /** Bytes of the code page that are still to be decoded together. */
  #bytes: number[] = [];
  #skipping = 0;

  constructor(rtf: string) {
    this.#rtf = rtf;
  }

  run(mostTokens: number): string {
    let left = mostTokens;
    for (const [, hex, word, value, sign, brace, words] of this.#rtf.matchAll(token)) {
      if (hex !== undefined) this.#addBytes([Number.parseInt(hex, 16)]);
      else if (words !== undefined) this.#words(words);
      else if (brace !== undefined) this.#brace(brace);
      else if (word !== undefined) this.#word(word, value === undefined ? undefined : Number(value));
      else if (sign !== undefined) this.#sign(sign);
      left -= 1;
      if (left === 0) break;
    }
    this.#flush();
    const lines = this.#text.replaceAll("\0", "").split("\n");
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trim();
  }

  get #isShown(): boolean {
    return !this.#group.isUnread && !this.#group.isHidden;
  }

  #brace(brace: string): void {
    this.#flush();
    this.#skipping = 0;
    if (brace === "}") this.#group = this.#outer.pop() ?? { ...outermost };
    else if (this.#outer.length < deepest) {
      this.#outer.push(this.#group);
      this.#group = { ...this.#group };
    }
  }

  #word(word: string, value: number | undefined): void {
    if (word === "v" || word === "plain") this.#flush();
    if (word === "u" && value !== undefined) {
      this.#add(String.fromCharCode(value & 0xffff));
      this.#skipping = this.#group.skip;
    } else if (word === "uc") this.#group.skip = Math.min(Math.max(value ?? 1, 0), 20);
    else if (word === "ansicpg") this.#page = value ?? this.#page;
    else if (word === "v" || word === "plain") this.#group.isHidden = word === "v" && value !== 0;
    else if (unread.has(word)) this.#group.isUnread = true;
    else this.#add(signs.get(word) ?? "");
  }

  /** `\*` begins a group that readers may leave out. */
  #sign(sign: string): void {
    if (sign === "*") this.#group.isUnread = true;
    else if (sign === "~") this.#add(" ");
    else if (sign === "_") this.#add("-");
    else if (sign === "\n" || sign === "\r") this.#add("\n");
    else if (/[\\{}]/.test(sign)) this.#addBytes([sign.charCodeAt(0)]);
  }

  #words(words: string): void {
    // Letters that are the same in every code page need no decoding.
    const isPlain = this.#bytes.length === 0 && this.#skipping === 0 && /^[\x20-\x7e\t]*$/.test(words);
    if (!isPlain) this.#addBytes(Buffer.from(words, "latin1"));
    else if (this.#isShown) this.#text += words;
  }

  #addBytes(bytes: Iterable<number>): void {
    for (const byte of bytes)
      if (this.#skipping > 0) this.#skipping -= 1;
      else if (this.#isShown) this.#bytes.push(byte);
  }

  #add(text: string): void {
    if (text === "") return;
    this.#flush();
    if (this.#isShown) this.#text += text;
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    this.#text += decodePage(Uint8Array.from(this.#bytes), this.#page);
    this.#bytes = [];
  }
}
