import type { LineSink } from "../line-sink.ts";
import { type OfficePackage, relationsOf } from "../office-package.ts";
import type { OpenDocument } from "../open-document.ts";
import { attribute, readXml, type XmlAttributes, type XmlSink } from "../xml.ts";

const mostSlides = 20_000;

/** The slides of a presentation in their order, each with what its speaker has noted. */
export async function openPptx({ parts, main, relations, facts }: OfficePackage): Promise<OpenDocument> {
  const slides: string[] = [];
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  await readXml(parts.chunks(main), {
    open: (name, attributes) => {
      if (name !== "sldId" || slides.length >= mostSlides) return;
      const target = targets.get(relationOf(attributes));
      if (target !== undefined && parts.has(target)) slides.push(target);
    },
  });
  return {
    format: "presentation",
    unit: "slide",
    count: slides.length,
    facts,
    read: async (index, sink) => {
      const slide = slides[index] ?? "";
      await readXml(parts.chunks(slide), new SlideText(sink));
      const notes = (await relationsOf(parts, slide)).find(({ type }) => type === "notesSlide")?.target;
      if (notes === undefined || !parts.has(notes) || sink.isFull) return;
      await readXml(parts.chunks(notes), new SlideText(sink, "[Notes]"));
    },
  };
}

/** `id` alone is another number there. */
function relationOf(attributes: XmlAttributes): string {
  return attributes["r:id"] ?? Object.entries(attributes).find(([name]) => /:id$/.test(name))?.[1] ?? "";
}

/** DrawingML (ECMA-376 part 1, 21): paragraphs, and rows of tables. */
class SlideText implements XmlSink {
  readonly #sink: LineSink;
  #title: string | undefined;
  #isText = false;
  #rows = 0;
  #cells = 0;
  #fallbacks = 0;
  /** Numbers of slides and dates repeat themselves on each. */
  #isRepeated = false;

  constructor(sink: LineSink, title?: string) {
    this.#sink = sink;
    this.#title = title;
  }

  get isDone(): boolean {
    return this.#sink.isFull;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "Fallback") this.#fallbacks += 1;
    else if (name === "sld" && attribute(attributes, "show") === "0") this.#sink.line("[hidden slide]");
    else if (name === "sp") this.#isRepeated = false;
    else if (name === "ph") this.#isRepeated = /^(sldNum|dt|ftr|hdr|sldImg)$/.test(attribute(attributes, "type") ?? "");
    else if (name === "t") this.#isText = true;
    else if (name === "br") this.#sink.write(this.#rows > 0 ? " " : "\n");
    else if (name === "tr") {
      this.#rows += 1;
      this.#cells = 0;
    } else if (name === "tc") {
      if (this.#cells > 0) this.#sink.write(" | ");
      this.#cells += 1;
    }
  }

  close(name: string): void {
    if (name === "Fallback") this.#fallbacks -= 1;
    else if (name === "t") this.#isText = false;
    else if (name === "p" && this.#rows === 0) this.#sink.endLine();
    else if (name === "p") this.#sink.write(" ");
    else if (name === "tr") {
      this.#rows -= 1;
      this.#sink.endLine();
    }
  }

  text(text: string): void {
    if (!this.#isText || this.#fallbacks > 0 || this.#isRepeated) return;
    if (this.#title !== undefined && text.trim() !== "") {
      this.#sink.line(this.#title);
      this.#title = undefined;
    }
    this.#sink.write(text);
  }
}
