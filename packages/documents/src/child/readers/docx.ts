import type { OfficePackage, Relation } from "../office-package.ts";
import type { OpenDocument } from "../open-document.ts";
import { attribute, readXml } from "../xml.ts";
import type { ZipParts } from "../zip-parts.ts";
import { DocxText } from "./docx-text.ts";

/** The parts behind the text, with what they are called in it. */
const behind = [
  { type: "footnotes", title: "Footnotes" },
  { type: "endnotes", title: "Endnotes" },
  { type: "comments", title: "Comments" },
  { type: "header", title: "Header" },
  { type: "footer", title: "Footer" },
] as const;
const mostHeaders = 6;

/** The text of a Word document as somebody reads it who accepts its changes; its pages exist only once it is printed. */
export async function openDocx({ parts, main, relations, facts }: OfficePackage): Promise<OpenDocument> {
  const headings = await headingsIn(parts, relations);
  const further = behind.flatMap(({ type, title }) =>
    relations
      .filter((one) => one.type === type && parts.has(one.target))
      .slice(0, mostHeaders)
      .map(({ target }) => ({ target, title })),
  );
  return {
    format: "Word document",
    unit: "text",
    count: 1,
    facts,
    read: async (_index, sink) => {
      await readXml(parts.chunks(main), new DocxText(sink, headings, relations));
      for (const { target, title } of further) {
        if (sink.isFull) return;
        const text = new DocxText(sink, headings, [], `[${title}]`);
        await readXml(parts.chunks(target), text);
      }
    },
  };
}

/** Levels of headings by the ids of their styles, which differ from language to language. */
async function headingsIn(parts: ZipParts, relations: readonly Relation[]): Promise<ReadonlyMap<string, number>> {
  const headings = new Map<string, number>();
  const styles = relations.find(({ type }) => type === "styles")?.target;
  if (styles === undefined || !parts.has(styles)) return headings;
  let id = "";
  await readXml(parts.chunks(styles), {
    open: (name, attributes) => {
      if (name === "style") id = attribute(attributes, "styleId") ?? "";
      if (name !== "name") return;
      const level = /^(?:heading (\d)|title)$/i.exec(attribute(attributes, "val") ?? "");
      if (level !== null) headings.set(id, Number(level[1] ?? 1));
    },
  });
  return headings;
}
