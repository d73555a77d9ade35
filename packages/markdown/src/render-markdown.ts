import type { Definition, List as ListNode, PhrasingContent, RootContent, Table as TableNode } from "mdast";
import { addressBeside } from "./address-beside.ts";
import { withAlertTitle } from "./alert-title.ts";
import { type Definitions, definitionsOf } from "./definitions.ts";
import type { Cell, Dialect, List, Place, Table } from "./dialect.ts";
import type { Subscript, Superscript } from "./html-nodes.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { readable } from "./readable.ts";
import { smallScript } from "./small-script.ts";
import { spreadTags } from "./spread-tags.ts";
import { wordsOf } from "./words-of.ts";

/**
 * Writes Markdown in a platform's dialect: one walk over the tree, which resolves references and leaves out
 * empty blocks; words are seen in the order they are written in. Never throws; the time is proportional to the text.
 */
export function renderMarkdown<T>(markdown: string, dialect: Dialect<T>): T {
  const root = parseMarkdown(spreadTags(readable(markdown)));
  return new Walk(dialect, definitionsOf(root)).blocks(root.children, { isTight: false, quotes: 0, lists: 0 });
}

/** What code blocks that hold formulas are called. */
const formulaLanguage = "latex";

type InlineParent = Extract<PhrasingContent, { readonly children: readonly PhrasingContent[] }>;
type Block = Exclude<RootContent, { type: "definition" }> | Definition[];

class Walk<T> {
  readonly #dialect: Dialect<T>;
  readonly #definitions: Definitions;
  /** What is being written, so that nothing stands in its own kind: most platforms would end the outer one there. */
  readonly #open = new Set<string>();

  constructor(dialect: Dialect<T>, definitions: Definitions) {
    this.#dialect = dialect;
    this.#definitions = definitions;
  }

  blocks(nodes: readonly RootContent[], place: Place): T {
    const blocks = this.#shown(nodes).map((node) => this.#block(node, place));
    const isShown = (block: T) => !this.#dialect.isEmpty(block);
    return this.#dialect.stack(blocks.filter(isShown), place);
  }

  /** Without definitions that links lead to; several others in a row are lines of one paragraph. */
  #shown(nodes: readonly RootContent[]): readonly Block[] {
    const shown: Block[] = [];
    for (const node of nodes) {
      if (node.type !== "definition") shown.push(node);
      else if (this.#definitions.unused.has(node)) {
        const last = shown.at(-1);
        if (Array.isArray(last)) last.push(node);
        else shown.push([node]);
      }
    }
    return shown;
  }

  #sources(definitions: readonly Definition[], place: Place): T {
    const dialect = this.#dialect;
    const lines = definitions.map(({ label, identifier, url, title }, n) => [
      ...(n === 0 ? [] : [dialect.lineBreak()]),
      dialect.text(`[${label ?? identifier}]: `),
      dialect.link({ url, label: dialect.text(""), words: "" }),
      ...(title ? [dialect.text(` ${title}`)] : []),
    ]);
    return dialect.paragraph(dialect.concat(lines.flat()), place);
  }

  #block(node: Block, place: Place): T {
    if (Array.isArray(node)) return this.#sources(node, place);
    const dialect = this.#dialect;
    switch (node.type) {
      case "heading":
        return dialect.heading(this.#inline(node.children), node.depth, place);
      case "paragraph":
        return dialect.paragraph(this.#inline(node.children), place);
      case "blockquote": {
        const inside = { ...place, isTight: false, quotes: place.quotes + 1 };
        return dialect.quote(this.blocks(withAlertTitle(node), inside), place);
      }
      case "list":
        return dialect.list(this.#list(node, place), place);
      case "code":
        // With nothing in it, what stands behind the fence may be words.
        if (node.value === "") return dialect.codeBlock([node.lang, node.meta].filter(Boolean).join(" "), "", place);
        return dialect.codeBlock(node.value, node.lang ?? "", place);
      case "formula":
        return dialect.formula?.(node.value, place) ?? dialect.codeBlock(node.value, formulaLanguage, place);
      case "table":
        return dialect.table(this.#table(node), place);
      case "thematicBreak":
        return dialect.rule(place);
      case "footnoteDefinition": {
        const inner = this.blocks(node.children, { ...place, isTight: true });
        return dialect.footnote(node.label ?? node.identifier, inner, place);
      }
      default:
        return dialect.paragraph(this.#inline([node as PhrasingContent]), place);
    }
  }

  #list({ ordered, start, children }: ListNode, place: Place): List<T> {
    const inside = { ...place, isTight: true, lists: place.lists + 1 };
    const isOrdered = ordered === true;
    const first = start ?? 1;
    const items = children.map((item, n) => ({
      inner: this.blocks(item.children, inside),
      number: isOrdered ? first + n : undefined,
      isChecked: item.checked ?? undefined,
    }));
    return { isOrdered, start: first, items };
  }

  #table({ children, align }: TableNode): Table<T> {
    const cell = (nodes: readonly PhrasingContent[]): Cell<T> => ({
      inner: this.#inline(nodes),
      words: wordsOf(nodes, "\n", (words, { identifier, url = "" }) =>
        addressBeside(words, identifier === undefined ? url : (this.#definitions.targets.get(identifier) ?? "")),
      ),
    });
    return { rows: children.map((row) => row.children.map(({ children }) => cell(children))), align: align ?? [] };
  }

  #inline(nodes: readonly PhrasingContent[]): T {
    return this.#dialect.concat(nodes.map((node) => this.#span(node)));
  }

  #span(node: PhrasingContent): T {
    const dialect = this.#dialect;
    switch (node.type) {
      case "text":
      case "html":
        return dialect.text(node.value);
      case "strong":
        return this.#within(node, (inner) => dialect.strong(inner));
      case "emphasis":
        return this.#within(node, (inner) => dialect.emphasis(inner));
      case "delete":
        return this.#within(node, (inner) => dialect.strike(inner));
      case "underline":
        return dialect.underline?.(this.#inline(node.children)) ?? this.#inline(node.children);
      case "subscript":
      case "superscript":
        return dialect[node.type]?.(this.#inline(node.children)) ?? this.#smallScript(node);
      case "inlineCode":
        return dialect.code(node.value);
      case "inlineFormula":
        return dialect.inlineFormula?.(node.value) ?? dialect.code(node.value);
      case "break":
        return dialect.lineBreak();
      case "link":
        return this.#link(node.url, node);
      case "linkReference":
        return this.#link(this.#definitions.targets.get(node.identifier) ?? "", node);
      case "image":
        return this.#image(node.url, node.alt ?? "");
      case "imageReference":
        return this.#image(this.#definitions.targets.get(node.identifier) ?? "", node.alt ?? "");
      case "footnoteReference":
        return dialect.footnoteMark(node.label ?? node.identifier);
      default:
        return node satisfies never;
    }
  }

  /** A link in it must stay one. */
  #smallScript({ type, children }: Subscript | Superscript): T {
    const script = smallScript(wordsOf(children), type);
    const isText = children.every((child) => child.type === "text");
    if ("letters" in script) return isText ? this.#dialect.text(script.letters) : this.#inline(children);
    if (script.before === "") return this.#inline(children);
    const { before, after } = script;
    return this.#dialect.concat([this.#dialect.text(before), this.#inline(children), this.#dialect.text(after)]);
  }

  #link(url: string, node: InlineParent): T {
    const words = wordsOf(node.children);
    return this.#within(node, (label) => this.#dialect.link({ url, label, words }), "link");
  }

  /** A picture within a link has no link of its own. */
  #image(url: string, alt: string): T {
    return this.#open.has("link") ? this.#dialect.text(alt) : this.#dialect.image({ url, alt });
  }

  #within(node: InlineParent, write: (inner: T) => T, kind: string = node.type): T {
    if (this.#open.has(kind)) return this.#inline(node.children);
    this.#open.add(kind);
    const inner = this.#inline(node.children);
    this.#open.delete(kind);
    return write(inner);
  }
}
