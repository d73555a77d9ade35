import type { Nodes, Parents } from "mdast";
import { addressBeside } from "./address-beside.ts";
import { alertMarkOf } from "./alert-mark.ts";
import { type Definitions, definitionsOf } from "./definitions.ts";
import { tagOf } from "./html-tags.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { readable } from "./readable.ts";
import { smallScript } from "./small-script.ts";
import { spreadTags } from "./spread-tags.ts";
import { surplusBarsIn } from "./whole-rows.ts";
import { wordsOf } from "./words-of.ts";

/** A piece of the source and what takes its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The text in Markdown that any reader understands, for platforms that read Markdown themselves: formulas become code, tags
 * of HTML become signs or nothing, GitHub's alerts quotes with a title, signs and bars that we take for words are escaped, links by name get their address, and addresses that
 * are not of the web or of mail stand beside their text. Everything else stays as it is.
 */
export function toCommonMarkdown(given: string): string {
  const markdown = spreadTags(readable(given));
  if (!special.test(markdown) && !tableRule.test(markdown)) return markdown;
  const root = parseMarkdown(markdown);
  const edits: Edit[] = surplusBarsIn(root, markdown).map((bar) => ({ start: bar, end: bar, text: "\\" }));
  if (root.position !== undefined) new Editing(markdown, edits, definitionsOf(root)).inside(root, "");
  let text = "";
  let at = 0;
  for (const edit of edits.sort((one, other) => one.start - other.start || one.end - other.end)) {
    if (edit.start < at) continue;
    text += markdown.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  const whole = text + markdown.slice(at);
  return edits.length === 0 ? whole : whole.replace(/^(?:[ \t]*\n)+/, "");
}

/** What may have to be written anew. */
const special = /<[a-z/!]|\\\n|\\(?:[([]|begin\{)|\$|\d[*~]|\S~|\](?:\(\s*<?(?!https?:\/\/|mailto:)|:)|\[\^|\[!/i;
const tableRule = /\n[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*\|/;

/** Whoever reads no break from the blanks ends the line all the same; a backslash would be seen there. */
const lineBreak = "  \n";
const marks: Readonly<Record<string, string>> = { strong: "**", emphasis: "*", delete: "~~", underline: "" };
/** Signs that we take for words. */
const signs = /(?<=\d)[*~]+(?=\d)|(?<=[^\s~\\])~(?!~)/g;
/** What holds lines of words. */
const lines: ReadonlySet<string> = new Set(["paragraph", "heading", "tableCell"]);

class Editing {
  readonly #source: string;
  readonly #edits: Edit[];
  readonly #definitions: Definitions;
  /** The kinds of what is being read. */
  readonly #open = new Set<string>();

  constructor(source: string, edits: Edit[], definitions: Definitions) {
    this.#source = source;
    this.#edits = edits;
    this.#definitions = definitions;
  }

  /** `prefix` stands before each further line of what surrounds the node. */
  inside(node: Parents, prefix: string): void {
    const isLine = lines.has(node.type) || node.type in marks;
    const isOutermost = !this.#open.has(node.type);
    this.#open.add(node.type);
    const { start, end } = rangeOf(node);
    let at = start;
    for (const [index, child] of node.children.entries()) {
      const range = rangeOf(child);
      if (isLine || index > 0) this.#dropTags(at, range.start);
      this.#node(child, node, index, prefix);
      at = Math.max(at, range.end);
    }
    if (isLine) this.#dropTags(at, end);
    if (isOutermost) this.#open.delete(node.type);
  }

  #node(node: Nodes, parent: Parents, index: number, prefix: string): void {
    const { start, end } = rangeOf(node);
    if (node.type === "inlineFormula") this.#replace(start, end, this.#codeOf(node.value));
    else if (node.type === "formula") this.#formula(node.value, start, end);
    else if (node.type === "break" && this.#source.charAt(start) === "\\") this.#replace(start, end, lineBreak);
    else if (this.#isBreak(node)) this.#break(parent, index, prefix);
    else if (node.type in marks && "children" in node && this.#open.has(node.type)) this.#around(node, "", "", prefix);
    else if (this.#isOfTag(node)) this.#tag(node, prefix);
    else if (node.type === "text" && start === end) this.#edits.push({ start, end, text: node.value });
    else if (node.type === "text") this.#words(start, end, parent, index);
    else if (this.#isBare(node)) return;
    else if (isReference(node)) this.#reference(node, prefix);
    else if (node.type === "footnoteDefinition") this.#footnote(node, prefix);
    else if (node.type === "paragraph" && parent.type === "blockquote" && index === 0) this.#inQuote(node);
    else if ("children" in node) this.inside(node, lines.has(node.type) ? this.#prefixAt(start) : prefix);
  }

  /** Whether a tag made the node. Addresses in angle brackets look alike. */
  #isOfTag(node: Nodes): boolean {
    const { start } = rangeOf(node);
    if (this.#source.charAt(start) !== "<" || lines.has(node.type)) return false;
    return tagOf(this.#source.slice(start, this.#source.indexOf(">", start) + 1)) !== undefined;
  }

  /** An address without a label is read as it stands, with each sign in it. */
  #isBare(node: Nodes): boolean {
    return node.type === "link" && isWeb(node.url) && this.#source.charAt(rangeOf(node).start) !== "[";
  }

  /** Links by name, with their address, and those whose address is no link everywhere; footnotes as words. */
  #reference(node: Reference, prefix: string): void {
    const { start, end } = rangeOf(node);
    switch (node.type) {
      case "definition":
        if (this.#definitions.unused.has(node)) this.#edits.push({ start, end: start, text: "\\" });
        else this.#replace(start, end, "");
        break;
      case "footnoteReference":
        this.#replace(start, end, `\\[${escaped(node.label ?? node.identifier)}]`);
        break;
      case "image":
      case "imageReference": {
        const alt = node.alt ?? "";
        const url = this.#targetOf(node);
        this.#replace(start, end, isWeb(url) ? imageOf(alt, url) : escaped(alt + addressBeside(alt, url)));
        break;
      }
      default: {
        const url = this.#targetOf(node);
        const words = node.children.length === 0 ? "" : wordsOf(node.children);
        if (words === "" && !isWeb(url)) this.#replace(start, end, escaped(url));
        else if (isWeb(url)) this.#around(node, "[", `](<${addressOf(url)}>)`, prefix);
        else this.#around(node, "", escaped(addressBeside(words, url)), prefix);
      }
    }
  }

  /** The first paragraph of a quote, with the mark of an alert as a title. */
  #inQuote(node: Parents): void {
    const { start, end } = rangeOf(node);
    const prefix = this.#prefixAt(start);
    const { mark, title } = alertMarkOf(this.#source.slice(start, end)) ?? {};
    if (mark !== undefined) {
      const gap = start + mark.length === end ? "" : `${lineBreak}${mark.endsWith("\n") ? "" : prefix}`;
      this.#edits.push({ start, end: start + mark.length, text: `**${title}**${gap}` });
    }
    this.inside(node, prefix);
  }

  /** Its name as words; without the footnotes of GitHub it might be taken for the definition of a link. */
  #footnote(
    node: Parents & { readonly type: "footnoteDefinition"; label?: string | null | undefined },
    prefix: string,
  ): void {
    const { start } = rangeOf(node);
    const [first] = node.children;
    if (first !== undefined) this.#replace(start, rangeOf(first).start, `\\[${escaped(node.label ?? "")}] `);
    this.inside(node, prefix);
  }

  #targetOf(node: { readonly url: string } | { readonly identifier: string }): string {
    return "url" in node ? node.url : (this.#definitions.targets.get(node.identifier) ?? "");
  }

  #formula(value: string, start: number, end: number): void {
    const prefix = this.#prefixAt(start);
    this.#replace(start, end, `\`\`\`latex\n${value}\n\`\`\``.replaceAll("\n", `\n${prefix}`));
  }

  /** Signs between digits and single tildes are escaped; blanks beside a line break of HTML go with it. */
  #words(start: number, end: number, parent: Parents, index: number): void {
    const source = this.#source.slice(start, end);
    const lone = loneSignsIn(source);
    for (const { index: at, 0: run } of source.matchAll(signs))
      if (!lone.has(at)) this.#replace(start + at, start + at + run.length, run.replace(/./g, "\\$&"));
    if (this.#isBreak(parent.children[index - 1])) this.#replace(start, start + source.search(/\S|$/), "");
    if (this.#isBreak(parent.children[index + 1])) this.#replace(start + source.trimEnd().length, end, "");
  }

  /** The second of two breaks is part of the first. */
  #break(parent: Parents, index: number, prefix: string): void {
    const node = parent.children[index];
    if (node === undefined || this.#isBreak(parent.children[index - 1])) return;
    const { start, end } = rangeOf(node);
    const isGap = parent.type === "paragraph" && this.#isBreak(parent.children[index + 1]);
    const gap = isGap ? `\n${prefix.trimEnd()}\n${prefix}` : `${lineBreak}${prefix}`;
    this.#replace(start, end, parent.type === "tableCell" || parent.type === "heading" ? " " : gap);
  }

  #tag(node: Nodes, prefix: string): void {
    const { start, end } = rangeOf(node);
    switch (node.type) {
      case "thematicBreak":
        this.#replace(start, end, "***");
        break;
      case "inlineCode":
        this.#replace(start, end, this.#codeOf(node.value));
        break;
      case "text":
        this.#replace(start, end, node.value);
        break;
      case "image":
      case "link":
        this.#reference(node, prefix);
        break;
      case "subscript":
      case "superscript": {
        const script = smallScript(wordsOf(node.children), node.type);
        const isText = node.children.every(({ type }) => type === "text");
        if (!("letters" in script)) this.#around(node, escaped(script.before), script.after, prefix);
        else if (isText) this.#replace(start, end, script.letters);
        else this.#around(node, "", "", prefix);
        break;
      }
      default:
        if ("children" in node) this.#around(node, marks[node.type] ?? "", marks[node.type] ?? "", prefix);
    }
  }

  #around(node: Parents, before: string, after: string, prefix: string): void {
    const { start, end } = rangeOf(node);
    const first = node.children[0];
    const last = node.children.at(-1);
    if (first === undefined || last === undefined) return;
    this.#replace(start, rangeOf(first).start, before);
    this.#replace(rangeOf(last).end, end, after);
    this.inside(node, prefix);
  }

  /** Tags and comments of which no node is left. */
  #dropTags(start: number, end: number): void {
    const between = this.#source.slice(start, end);
    for (const { index, 0: tag } of between.matchAll(/<!--[\s\S]*?-->|<[^<>]+>/g))
      if (tag.startsWith("<!--") || tagOf(tag) !== undefined)
        this.#replace(start + index, start + index + tag.length, "");
  }

  /** In a cell, a bar that is not escaped would end it. */
  #codeOf(value: string): string {
    const code = codeOf(value);
    return this.#open.has("tableCell") ? code.replaceAll(/(?<!\\)\|/g, "\\|") : code;
  }

  #isBreak(node: Nodes | undefined): boolean {
    return node?.type === "break" && this.#source.charAt(rangeOf(node).start) === "<";
  }

  #prefixAt(start: number): string {
    const line = this.#source.lastIndexOf("\n", start - 1) + 1;
    return this.#source.slice(line, start).replaceAll(/[^\s>]/g, " ");
  }

  #replace(start: number, end: number, text: string): void {
    if (end > start) this.#edits.push({ start, end, text });
  }
}

type Reference = Extract<
  Nodes,
  { type: "link" | "linkReference" | "image" | "imageReference" | "definition" | "footnoteReference" }
>;

/** Whether it has to be written anew. Addresses of the web and of mail are read by everybody where they stand in the text. */
function isReference(node: Nodes): node is Reference {
  switch (node.type) {
    case "linkReference":
    case "imageReference":
    case "definition":
    case "footnoteReference":
      return true;
    case "link":
    case "image":
      return !isWeb(node.url);
    default:
      return false;
  }
}

/** Where the only sign of an address stands, as in `[https://e.test/~ada](…)`: alone it marks nothing. */
function loneSignsIn(words: string): ReadonlySet<number> {
  const lone = new Set<number>();
  for (const { index, 0: address } of words.matchAll(/\bhttps?:\/\/[^\s<]+/gi)) {
    const [first, second] = address.matchAll(signs);
    if (first !== undefined && second === undefined) lone.add(index + first.index);
  }
  return lone;
}

function isWeb(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url);
}

function imageOf(alt: string, url: string): string {
  return `![${escaped(alt)}](<${addressOf(url)}>)`;
}

function rangeOf({ position }: Nodes): { readonly start: number; readonly end: number } {
  return { start: position?.start.offset ?? 0, end: position?.end.offset ?? 0 };
}

function codeOf(value: string): string {
  const longest = Math.max(0, ...[...value.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const gap = /^`|`$/.test(value) ? " " : "";
  return ticks + gap + value + gap + ticks;
}

function escaped(words: string): string {
  return words.replaceAll(/[\\[\]*_~`<>^]/g, "\\$&");
}

function addressOf(url: string): string {
  return url.replaceAll(/[\s<>\\]/g, encodeURIComponent);
}
