import { decodeEntities } from "./html-entities.ts";
import { hides } from "./html-hidden.ts";

export interface HtmlText {
  readonly text: string;
  /** Something was written so that its reader does not see it; it is not in `text`. */
  readonly hasHidden: boolean;
}

const token = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-zA-Z][a-zA-Z0-9:]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|[^<]+|</g;
const voids: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "meta", "link", "wbr", "area", "col", "base"]);
/** Their content is no text. */
const unread: ReadonlySet<string> = new Set([
  "style",
  "script",
  "head",
  "title",
  "template",
  "object",
  "svg",
  "noscript",
]);
const blocks: ReadonlySet<string> = new Set([
  ..."address article aside blockquote center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header".split(" "),
  ..."hr li main nav ol p pre section table tbody thead tr ul".split(" "),
]);
/** A blank line stands around them. */
const spaced: ReadonlySet<string> = new Set([
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "ul",
  "ol",
  "table",
  "blockquote",
  "pre",
]);
/** Deeper nesting is no writing. */
const deepest = 200;

interface Open {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isUnread: boolean;
  readonly isQuote: boolean;
  readonly href: string;
  /** Where its text begins. */
  readonly line: number;
  readonly column: number;
}

/** A mail's HTML as plain text: quotes begin with `> `, links show where they lead, what is hidden is left out. */
export function htmlToText(html: string): HtmlText {
  return new Reader().read(html);
}

class Reader {
  readonly #open: Open[] = [];
  readonly #lines: string[] = [""];
  #hasHidden = false;

  read(html: string): HtmlText {
    for (const [whole, slash, tag, attributes = ""] of html.matchAll(token)) {
      if (tag !== undefined) this.#tag(tag.toLowerCase(), slash === "/", attributes);
      else if (!whole.startsWith("<!")) this.#text(whole);
    }
    const text = this.#lines.map((line) => line.trimEnd()).join("\n");
    return { text: text.replace(/^(?:> ?)*\n(?=(?:(?:> ?)*\n))/gm, "").trim(), hasHidden: this.#hasHidden };
  }

  get #top(): Open | undefined {
    return this.#open.at(-1);
  }

  #tag(name: string, isEnd: boolean, attributes: string): void {
    if (isEnd) this.#end(name);
    else this.#begin(name, attributes);
  }

  #end(name: string): void {
    const index = this.#open.findLastIndex((open) => open.name === name);
    if (index === -1) return;
    for (const open of this.#open.splice(index).toReversed()) this.#close(open);
  }

  #begin(name: string, attributes: string): void {
    const isUnread = (this.#top?.isUnread ?? false) || unread.has(name);
    const isHidden = (this.#top?.isHidden ?? false) || hides(attributes);
    const isShown = !isUnread && !isHidden;
    if (isShown) this.#draw(name, attributes);
    if (voids.has(name)) return;
    const isQuote = isShown && (name === "blockquote" || /\bgmail_quote\b/.test(attributeOf(attributes, "class")));
    const href = isShown && name === "a" ? attributeOf(attributes, "href") : "";
    this.#push({
      name,
      isHidden,
      isUnread,
      isQuote,
      href,
      line: this.#lines.length - 1,
      column: this.#lines.at(-1)?.length ?? 0,
    });
    if (isQuote) this.#break();
  }

  #draw(name: string, attributes: string): void {
    if (name === "br") this.#break();
    else if (blocks.has(name)) this.#block(name);
    if ((name === "td" || name === "th") && this.#lines.at(-1) !== "") this.#add(" ");
    if (name === "li") this.#add("- ");
    if (name === "img") this.#image(attributes);
  }

  #push(open: Open): void {
    if (this.#open.length < deepest) this.#open.push(open);
  }

  #close(open: Open): void {
    const { name, isHidden, isUnread, isQuote } = open;
    if (isHidden || isUnread) return;
    this.#link(open);
    if (blocks.has(name) || isQuote) this.#block(name);
  }

  /** A label that is not the address gets it beside it, so that nobody is led elsewhere unawares. */
  #link({ href, line, column }: Open): void {
    if (href === "") return;
    const label = this.#lines.slice(line).join("\n").slice(column).trim();
    const target = href.replace(/^mailto:/i, "");
    if (/^(?:https?|mailto):/i.test(href) && label !== target && label !== "") this.#add(` (${target})`);
  }

  #image(attributes: string): void {
    const alt = attributeOf(attributes, "alt").trim();
    if (alt !== "") this.#add(`[${alt}]`);
  }

  #text(raw: string): void {
    const text = decodeEntities(raw);
    const top = this.#top;
    if (top?.isUnread) return;
    if (top?.isHidden) {
      if (/[^\s\p{Default_Ignorable_Code_Point}]/u.test(text)) this.#hasHidden = true;
      return;
    }
    if (this.#open.some(({ name }) => name === "pre")) {
      const [first = "", ...rest] = text.split(/\r?\n/);
      this.#add(first);
      for (const line of rest) {
        this.#break();
        this.#add(line);
      }
      return;
    }
    const line = this.#lines.at(-1) ?? "";
    const flat = text.replace(/[\s\u00a0]+/g, " ");
    this.#add(line === "" || line.endsWith(" ") ? flat.trimStart() : flat);
  }

  #add(text: string): void {
    const line = this.#lines.at(-1) ?? "";
    const prefix = line === "" && text !== "" ? "> ".repeat(this.#open.filter(({ isQuote }) => isQuote).length) : "";
    this.#lines[this.#lines.length - 1] = line + prefix + text;
  }

  #break(): void {
    this.#lines.push("");
  }

  #block(name: string): void {
    if ((this.#lines.at(-1) ?? "").trim() !== "") this.#break();
    if (spaced.has(name) && (this.#lines.at(-2) ?? "") !== "") this.#break();
  }
}

function attributeOf(attributes: string, name: string): string {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? "");
}
