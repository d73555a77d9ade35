import type { OfficePackage } from "../office-package.ts";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { attribute, readXml, type XmlAttributes } from "../xml.ts";
import type { ZipParts } from "../zip-parts.ts";
import { DateFormats } from "./xlsx-dates.ts";
import { SheetText } from "./xlsx-sheet.ts";

/** So many sheets are listed with their sizes. */
const mostListed = 40;
const mostSheets = 100_000;
/** Of all texts that its cells share. */
const mostSharedChars = 32 * 1_024 * 1_024;

interface Sheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
  readonly isChart: boolean;
}

/** The sheets of a workbook: values as they were last calculated, dates as dates. */
export async function openXlsx({ parts, main, relations, facts }: OfficePackage): Promise<OpenDocument> {
  const { sheets, is1904 } = await sheetsIn(parts, main, new Map(relations.map((one) => [one.id, one])));
  const partOf = (type: string) => relations.find((one) => one.type === type && parts.has(one.target))?.target;
  let known: Promise<{ readonly strings: readonly string[]; readonly dates: DateFormats }> | undefined;
  const load = async () => ({
    strings: await sharedStrings(parts, partOf("sharedStrings")),
    dates: await DateFormats.read(parts, partOf("styles"), is1904),
  });
  return {
    format: "workbook",
    unit: "sheet",
    count: sheets.length,
    facts: [...facts, ...(await listed(parts, sheets))],
    nameOf: (index) => sheets[index]?.name,
    read: async (index, sink) => {
      const sheet = sheets[index];
      if (sheet === undefined) return;
      if (sheet.isChart || !parts.has(sheet.part)) return sink.line("[a chart]");
      known ??= load();
      const { strings, dates } = await known;
      await readXml(parts.chunks(sheet.part), new SheetText(sink, strings, dates));
    },
  };
}

async function sheetsIn(
  parts: ZipParts,
  main: string,
  relations: ReadonlyMap<string, { readonly target: string; readonly type: string }>,
): Promise<{ readonly sheets: readonly Sheet[]; readonly is1904: boolean }> {
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readXml(parts.chunks(main), {
    open: (name, attributes) => {
      if (name === "workbookPr") is1904 = /^(1|true)$/.test(attribute(attributes, "date1904") ?? "");
      if (name !== "sheet") return;
      if (sheets.length >= mostSheets) throw new Refusal(`it has more than ${mostSheets} sheets`);
      const relation = relations.get(attribute(attributes, "id") ?? "");
      sheets.push({
        name: attribute(attributes, "name") ?? "",
        part: relation?.target ?? "",
        isHidden: /^(hidden|veryHidden)$/.test(attribute(attributes, "state") ?? ""),
        isChart: relation?.type !== "worksheet",
      });
    },
  });
  return { sheets, is1904 };
}

/** Names and sizes of the sheets. */
async function listed(parts: ZipParts, sheets: readonly Sheet[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [index, sheet] of sheets.slice(0, mostListed).entries()) {
    const size = sheet.isChart || !parts.has(sheet.part) ? "a chart" : await sizeOf(parts, sheet.part);
    const more = [size, sheet.isHidden ? "hidden" : ""].filter((one) => one !== "").join(", ");
    lines.push(`sheet ${index + 1}: "${sheet.name.slice(0, 100)}"${more && ` (${more})`}`);
  }
  const rest = sheets.length - lines.length;
  return [
    ...lines,
    ...(rest > 0 ? [`and ${rest} more sheets`] : []),
    "Each line is a row: its number, then its cells from column A on.",
  ];
}

/** As the sheet says itself at its beginning. */
async function sizeOf(parts: ZipParts, part: string): Promise<string> {
  let range: string | undefined;
  const sink = {
    isDone: false,
    open(name: string, attributes: XmlAttributes) {
      if (name === "dimension") range = attribute(attributes, "ref");
      this.isDone ||= name === "dimension" || name === "sheetData";
    },
  };
  await readXml(parts.chunks(part), sink);
  return range !== undefined && /^[A-Z]{1,3}\d{1,7}(:[A-Z]{1,3}\d{1,7})?$/.test(range) ? range : "";
}

/** What is said how to pronounce it (`rPh`) is no part of a text. */
async function sharedStrings(parts: ZipParts, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined) return [];
  const strings: string[] = [];
  let chars = 0;
  let open = "";
  let isText = false;
  let phonetics = 0;
  await readXml(parts.chunks(part), {
    open: (name) => {
      if (name === "si") open = "";
      else if (name === "rPh") phonetics += 1;
      else if (name === "t") isText = phonetics === 0;
    },
    close: (name) => {
      if (name === "si") strings.push(open);
      else if (name === "rPh") phonetics -= 1;
      else if (name === "t") isText = false;
    },
    text: (text) => {
      if (!isText) return;
      chars += text.length;
      if (chars > mostSharedChars) throw new Refusal(`its texts have more than ${mostSharedChars} characters together`);
      open += text;
    },
  });
  return strings;
}
