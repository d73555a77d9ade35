import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { attribute, readXml } from "../xml.ts";
import type { ZipParts } from "../zip-parts.ts";
import { OdfSheet } from "./odf-sheet.ts";
import { OdfText } from "./odf-text.ts";

const content = "content.xml";
const mostParts = 100_000;
const mostListed = 40;

const formats: Readonly<Record<string, string>> = {
  text: "OpenDocument text",
  spreadsheet: "OpenDocument spreadsheet",
  presentation: "OpenDocument presentation",
  graphics: "OpenDocument drawing",
};

/** Text, spreadsheet, presentation or drawing of OpenDocument (ISO/IEC 26300), by the type that its first part names. */
export async function openOdf(parts: ZipParts, type: string): Promise<OpenDocument> {
  await refuseEncrypted(parts);
  const kind = /opendocument\.([a-z]+)/.exec(type)?.[1] ?? "";
  const format = formats[kind];
  if (format === undefined || !parts.has(content)) {
    throw new Refusal(`it is a document of OpenDocument of a kind that is not read: ${type.slice(0, 80)}`);
  }
  const macros = macrosIn(parts);
  if (kind === "text") {
    const read: OpenDocument["read"] = (_index, sink) => readXml(parts.chunks(content), new OdfText(sink));
    return { format, unit: "text", count: 1, facts: macros, read };
  }
  const isSheets = kind === "spreadsheet";
  const names = await namesOf(parts, isSheets ? "table" : "page");
  const listed = names.slice(0, mostListed).map((name, index) => `sheet ${index + 1}: "${name.slice(0, 100)}"`);
  const more = names.length > mostListed ? [`and ${names.length - mostListed} more sheets`] : [];
  const rows = "Each line is a row: its number, then its cells from column A on.";
  return {
    format,
    unit: isSheets ? "sheet" : "slide",
    count: names.length,
    facts: [...macros, ...(isSheets ? [...listed, ...more, rows] : [])],
    nameOf: (index) => names[index],
    read: (index, sink) => {
      const text = isSheets ? new OdfSheet(sink, index) : new OdfText(sink, index);
      return readXml(parts.chunks(content), text);
    },
  };
}

/** Names of the outermost elements of this name. */
async function namesOf(parts: ZipParts, element: "table" | "page"): Promise<readonly string[]> {
  const names: string[] = [];
  let depth = 0;
  await readXml(parts.chunks(content), {
    open: (name, attributes) => {
      if (name !== element) return;
      if (depth === 0) names.push(attribute(attributes, "name") ?? "");
      if (names.length > mostParts) throw new Refusal(`it has more than ${mostParts} sheets or slides`);
      depth += 1;
    },
    close: (name) => {
      if (name === element) depth -= 1;
    },
  });
  return names;
}

async function refuseEncrypted(parts: ZipParts): Promise<void> {
  if (!parts.has("META-INF/manifest.xml")) return;
  let isEncrypted = false;
  await readXml(parts.chunks("META-INF/manifest.xml"), {
    open: (name) => {
      isEncrypted ||= name === "encryption-data";
    },
  });
  if (isEncrypted) throw new Refusal("it is encrypted with a password: ask for it without one");
}

/** They are named and never run. */
function macrosIn(parts: ZipParts): readonly string[] {
  const names = parts.entries
    .map(({ name }) => name)
    .filter((name) => /^(Basic|Scripts)\/.*[^/]$/.test(name) && !/script-l[bc]\.xml$/.test(name));
  return names.length === 0 ? [] : [`has macros, which are not run: ${names.slice(0, 5).join(", ")}`];
}
