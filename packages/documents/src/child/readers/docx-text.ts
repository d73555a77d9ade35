import type { LineSink } from "../line-sink.ts";
import type { Relation } from "../office-package.ts";
import { attribute, type XmlAttributes, type XmlSink } from "../xml.ts";

/** What is inside of these is not read: former words, codes of fields, and the second version of what there is twice. */
const unread: ReadonlySet<string> = new Set([
  "del",
  "moveFrom",
  "instrText",
  "delText",
  "Fallback",
  "sectPr",
  "rPrChange",
  "pPrChange",
]);
const breaks: ReadonlySet<string> = new Set(["br", "cr"]);

/** Elements of WordprocessingML (ECMA-376 part 1, 17) to lines. */
export class DocxText implements XmlSink {
  readonly #sink: LineSink;
  readonly #headings: ReadonlyMap<string, number>;
  readonly #links: ReadonlyMap<string, string>;
  #title: string | undefined;
  /** Of elements that are not read. */
  #unreadDepth = 0;
  #tables = 0;
  #cells = 0;
  #properties = 0;
  #isInRunProperties = false;
  #isHidden = false;
  #isText = false;
  #prefix = "";
  #level: number | undefined;
  #link: string | undefined;

  constructor(sink: LineSink, headings: ReadonlyMap<string, number>, relations: readonly Relation[], title?: string) {
    this.#sink = sink;
    this.#headings = headings;
    this.#links = new Map(relations.filter((one) => one.isExternal).map(({ id, target }) => [id, target]));
    this.#title = title;
  }

  get isDone(): boolean {
    return this.#sink.isFull;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#unreadDepth > 0 || unread.has(name)) {
      this.#unreadDepth += 1;
      return;
    }
    switch (name) {
      case "p":
        this.#prefix = "";
        this.#level = undefined;
        break;
      case "pPr":
        this.#properties += 1;
        break;
      case "pStyle":
        this.#level = this.#headings.get(attribute(attributes, "val") ?? "");
        break;
      case "ilvl":
        this.#prefix = `${"  ".repeat(Math.min(8, Number(attribute(attributes, "val")) || 0))}- `;
        break;
      case "rPr":
        this.#isInRunProperties = this.#properties === 0;
        break;
      case "r":
        this.#isHidden = false;
        break;
      case "vanish":
        if (this.#isInRunProperties) this.#isHidden = !/^(0|false|off)$/.test(attribute(attributes, "val") ?? "");
        break;
      case "t":
        this.#isText = true;
        break;
      case "tab":
        if (this.#properties === 0) this.#say("\t");
        break;
      case "noBreakHyphen":
        this.#say("-");
        break;
      case "tbl":
        this.#tables += 1;
        break;
      case "tr":
        this.#cells = 0;
        break;
      case "tc":
        if (this.#cells > 0) this.#sink.write(" | ");
        this.#cells += 1;
        break;
      case "hyperlink":
        this.#link = this.#links.get(attribute(attributes, "id") ?? "");
        break;
      default:
        this.#openNote(name, attributes);
        if (breaks.has(name)) this.#say(this.#tables > 0 ? " " : "\n");
    }
  }

  close(name: string): void {
    if (this.#unreadDepth > 0) {
      this.#unreadDepth -= 1;
      return;
    }
    switch (name) {
      case "t":
        this.#isText = false;
        break;
      case "pPr":
        this.#properties = Math.max(0, this.#properties - 1);
        break;
      case "rPr":
        this.#isInRunProperties = false;
        break;
      case "hyperlink":
        if (/^(https?|mailto):/i.test(this.#link ?? "")) this.#say(` (${this.#link})`);
        this.#link = undefined;
        break;
      case "p":
        if (this.#tables > 0) this.#sink.write(" ");
        else this.#sink.endLine();
        break;
      case "tr":
        this.#sink.endLine();
        break;
      case "tbl":
        this.#tables = Math.max(0, this.#tables - 1);
        break;
      default:
    }
  }

  text(text: string): void {
    if (this.#isText && this.#unreadDepth === 0) this.#say(text);
  }

  /** With what stands before the first words of a part and of a paragraph. */
  #say(text: string): void {
    if (this.#isHidden) return;
    if (this.#title !== undefined && text.trim() !== "") {
      this.#sink.blank();
      this.#sink.line(this.#title);
      this.#title = undefined;
    }
    if (this.#level !== undefined && this.#tables === 0) this.#sink.blank();
    const prefix = this.#level === undefined ? this.#prefix : `${"#".repeat(Math.min(6, this.#level))} `;
    this.#prefix = "";
    this.#level = undefined;
    this.#sink.write(prefix + text);
  }

  #openNote(name: string, attributes: XmlAttributes): void {
    const id = attribute(attributes, "id") ?? "";
    if (/^(footnote|endnote|comment)Reference$/.test(name)) this.#say(`[${name.replace("Reference", "")} ${id}]`);
    else if (name === "footnote" || name === "endnote") this.#beginNote(id);
    else if (name === "comment") this.#beginNote(`${id} by ${attribute(attributes, "author") ?? "somebody"}`);
  }

  #beginNote(id: string): void {
    this.#sink.endLine();
    this.#prefix = `${id.slice(0, 200)}: `;
  }
}
