import type { LineSink } from "../line-sink.ts";
import { attribute, type XmlAttributes, type XmlSink } from "../xml.ts";

/** What is inside of these is not read: former words, and what stands beside the text. */
const unread: ReadonlySet<string> = new Set([
  "tracked-changes",
  "hidden-text",
  "creator",
  "date",
  "date-string",
  "forms",
  "title",
  "desc",
  "page-number",
]);
const mostSpaces = 100;

/** Elements of a text or of one slide to lines. */
export class OdfText implements XmlSink {
  readonly #sink: LineSink;
  /** Absent: everything. */
  readonly #slide: number | undefined;
  readonly #hiddenStyles = new Set<string>();
  #style = "";
  #slides = -1;
  #unreadDepth = 0;
  #paragraphs = 0;
  #lists = 0;
  #tables = 0;
  #cells = 0;
  #prefix = "";
  readonly #links: string[] = [];

  constructor(sink: LineSink, slide?: number) {
    this.#sink = sink;
    this.#slide = slide;
  }

  get isDone(): boolean {
    return this.#sink.isFull || (this.#slide !== undefined && this.#slides > this.#slide);
  }

  open(name: string, attributes: XmlAttributes): void {
    if (
      this.#unreadDepth > 0 ||
      unread.has(name) ||
      this.#hiddenStyles.has(attribute(attributes, "style-name") ?? "")
    ) {
      this.#unreadDepth += 1;
      return;
    }
    switch (name) {
      case "style":
        this.#style = attribute(attributes, "name") ?? "";
        break;
      case "text-properties":
        if (attributes["text:display"] === "none") this.#hiddenStyles.add(this.#style);
        break;
      case "page":
        this.#slides += 1;
        break;
      case "notes":
        this.#prefix = "[Notes] ";
        break;
      case "h":
      case "p":
        this.#beginParagraph(name, attributes);
        break;
      case "list":
        this.#lists += 1;
        break;
      case "list-item":
        this.#prefix = `${"  ".repeat(Math.min(8, this.#lists - 1))}- `;
        break;
      case "s":
        this.#say(" ".repeat(Math.min(mostSpaces, Number(attribute(attributes, "c")) || 1)));
        break;
      case "tab":
        this.#say("\t");
        break;
      case "line-break":
        this.#say(this.#tables > 0 ? " " : "\n");
        break;
      case "note":
      case "annotation":
        this.#say(name === "note" ? " [note: " : " [comment: ");
        break;
      case "a":
        this.#links.push(attribute(attributes, "href") ?? "");
        break;
      case "table":
        this.#tables += 1;
        break;
      case "table-row":
        this.#cells = 0;
        break;
      case "table-cell":
        if (this.#cells > 0) this.#say(" | ");
        this.#cells += 1;
        break;
      default:
    }
  }

  close(name: string): void {
    if (this.#unreadDepth > 0) {
      this.#unreadDepth -= 1;
      return;
    }
    switch (name) {
      case "h":
      case "p":
        this.#paragraphs -= 1;
        if (this.#tables > 0) this.#say(" ");
        else if (this.#paragraphs === 0 && this.#isWanted) this.#sink.endLine();
        break;
      case "list":
        this.#lists -= 1;
        break;
      case "note":
      case "annotation":
        this.#say("]");
        break;
      case "notes":
        this.#prefix = "";
        break;
      case "a": {
        const link = this.#links.pop() ?? "";
        if (/^(https?|mailto):/i.test(link)) this.#say(` (${link})`);
        break;
      }
      case "table":
        this.#tables -= 1;
        break;
      case "table-row":
        if (this.#isWanted) this.#sink.endLine();
        break;
      default:
    }
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#unreadDepth === 0) this.#say(text.replace(/\s+/g, " "));
  }

  get #isWanted(): boolean {
    return this.#slide === undefined || this.#slides === this.#slide;
  }

  #beginParagraph(name: string, attributes: XmlAttributes): void {
    if (this.#paragraphs === 0 && name === "h") {
      const level = Math.min(6, Math.max(1, Number(attribute(attributes, "outline-level")) || 1));
      this.#prefix = `${"#".repeat(level)} `;
      if (this.#isWanted) this.#sink.blank();
    }
    this.#paragraphs += 1;
  }

  #say(text: string): void {
    if (!this.#isWanted) return;
    const prefix = text.trim() === "" ? "" : this.#prefix;
    if (prefix !== "") this.#prefix = "";
    this.#sink.write(prefix + text);
  }
}
