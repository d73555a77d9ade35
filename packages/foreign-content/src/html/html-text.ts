import { hidesPictures, hidesText, openSight, type Sight } from "../hidden/sight.ts";
import { blocks, endsBefore, endsBlocks, spaced, unread, voids } from "./html-elements.ts";
import { readStyles, type SightOf } from "./html-styles.ts";
import { type Attributes, type HtmlSink, readTokens } from "./html-tokens.ts";
import { TextLines } from "./text-lines.ts";

export interface HtmlText {
  readonly text: string;
  /** The HTML holds text that its reader does not see; it is not in `text`. */
  readonly hasHidden: boolean;
  /** Elements are nested deeper than 500 levels; `text` ends there. */
  readonly isTooDeep: boolean;
}

/** People do not write deeper nesting. */
const deepest = 500;

interface Open {
  readonly name: string;
  readonly sight: Sight;
  readonly isUnread: boolean;
  readonly isQuote: boolean;
}

interface Link {
  readonly target: string;
  label: string;
}

/**
 * HTML as plain text, as people see it: quotes begin with `> `, links show where they lead, and hidden text is left out. The time
 * grows with the length of the HTML alone, other work runs in between, and the text is at most five times as long.
 */
export async function htmlToText(html: string): Promise<HtmlText> {
  const reader = new Reader(await readStyles(html));
  await readTokens(html, reader);
  return reader.finish();
}

class Reader implements HtmlSink {
  readonly #sightOf: SightOf;
  readonly #open: Open[] = [];
  /** Where the open elements of each name stand in `#open`. */
  readonly #places = new Map<string, number[]>();
  /** Where the open elements stand that inline end tags do not end. */
  readonly #blocks: number[] = [];
  readonly #lines = new TextLines();
  #link: Link | undefined;
  #hasHidden = false;
  #isTooDeep = false;

  constructor(sightOf: SightOf) {
    this.#sightOf = sightOf;
  }

  finish(): HtmlText {
    this.#endFrom(0);
    return { text: this.#lines.toString(), hasHidden: this.#hasHidden, isTooDeep: this.#isTooDeep };
  }

  isForeign(): boolean {
    return this.#isOpen("svg") || this.#isOpen("math");
  }

  begin(name: string, attributes: Attributes): number {
    if (!this.#isTooDeep) this.#begin(name, attributes);
    return this.#sightOf.takeWork();
  }

  #begin(name: string, attributes: Attributes): void {
    while (endsBefore(this.#top?.name ?? "", name)) this.#endFrom(this.#open.length - 1);
    const isUnread = (this.#top?.isUnread ?? false) || unread.has(name);
    const sight = this.#sightOf(this.#top?.sight ?? openSight, name, attributes);
    const isShown = !isUnread && !sight.isGone;
    if (isShown) this.#draw(name, attributes, sight);
    if (voids.has(name)) return;
    this.#isTooDeep = this.#open.length === deepest;
    if (this.#isTooDeep) return;
    const isQuote = isShown && (name === "blockquote" || /\bgmail_quote\b/.test(attributes.get("class") ?? ""));
    this.#push({ name, sight, isUnread, isQuote });
    if (isShown && name === "a") this.#beginLink(attributes.get("href") ?? "");
    if (!isQuote) return;
    this.#lines.quote(1);
    this.#lines.break();
  }

  /** An end tag ends its element and what is open inside of it, but inline elements end no blocks. */
  end(name: string): void {
    const place = this.#places.get(name)?.at(-1);
    if (place === undefined || (!endsBlocks(name) && (this.#blocks.at(-1) ?? -1) > place)) return;
    this.#endFrom(place);
  }

  text(text: string): void {
    if (this.#isTooDeep || this.#top?.isUnread) return;
    if (this.#top !== undefined && hidesText(this.#top.sight)) {
      this.#hasHidden ||= /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);
      return;
    }
    if (this.#link !== undefined) this.#addLabel(this.#link, text);
    if (this.#isOpen("pre")) this.#lines.addLines(text);
    else this.#lines.addFlowing(text);
  }

  get #top(): Open | undefined {
    return this.#open.at(-1);
  }

  #isOpen(name: string): boolean {
    return (this.#places.get(name)?.length ?? 0) > 0;
  }

  #push(open: Open): void {
    const place = this.#open.push(open) - 1;
    const places = this.#places.get(open.name) ?? [];
    places.push(place);
    this.#places.set(open.name, places);
    if (endsBlocks(open.name)) this.#blocks.push(place);
  }

  #draw(name: string, attributes: Attributes, sight: Sight): void {
    if (name === "br") this.#lines.break();
    else if (blocks.has(name)) this.#lines.block(spaced.has(name));
    if ((name === "td" || name === "th") && !this.#lines.isLineEmpty) this.#lines.add(" ");
    if (name === "li" && !hidesText(sight)) this.#lines.add("- ");
    const alt = name === "img" && !hidesPictures(sight) ? (attributes.get("alt") ?? "").trim() : "";
    if (alt !== "") this.#lines.addFlowing(`[${alt}]`);
  }

  #endFrom(index: number): void {
    for (const { name, sight, isUnread, isQuote } of this.#open.splice(index).toReversed()) {
      this.#places.get(name)?.pop();
      if (endsBlocks(name)) this.#blocks.pop();
      if (isQuote) this.#lines.quote(-1);
      if (sight.isGone || isUnread) continue;
      if (name === "a") this.#endLink();
      if (blocks.has(name) || isQuote) this.#lines.block(spaced.has(name));
    }
  }

  #beginLink(href: string): void {
    this.#link = /^\s*(?:https?|mailto):/i.test(href)
      ? { target: href.trim().replace(/^mailto:/i, ""), label: "" }
      : undefined;
  }

  /** Only as much as a comparison with the address needs. */
  #addLabel(link: Link, text: string): void {
    if (link.label.length <= link.target.length) link.label += link.label === "" ? text.trimStart() : text;
  }

  /** A label that is not the address gets it beside it, so that nobody is led elsewhere unawares. */
  #endLink(): void {
    if (this.#link === undefined) return;
    const { target, label } = this.#link;
    this.#link = undefined;
    if (label !== "" && label.trimEnd() !== target) this.#lines.add(` (${target})`);
  }
}
