import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { LineSink } from "../line-sink.ts";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";

const library = join(dirname(fileURLToPath(import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"))), "..", "..");
const mostFieldChars = 2_000;

/** The text of a PDF page by page, with what is filled in its forms. Nothing of it is drawn or run. */
export async function openPdf(bytes: Buffer): Promise<OpenDocument> {
  const document = await opened(bytes);
  const names = await namesIn(document);
  let isTold = false;
  const withoutText = (number: number) => {
    const remedy = isTold ? "" : seeing(number);
    isTold = true;
    return `[this page has no text: it is empty, or a picture such as a scan${remedy}]`;
  };
  return {
    format: "PDF",
    unit: "page",
    count: document.numPages,
    facts: [...(await propertiesOf(document)), ...names],
    read: (index, sink) => writePage(document, index, sink, withoutText),
  };
}

async function opened(bytes: Buffer): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      data: new Uint8Array(bytes),
      cMapUrl: `${join(library, "cmaps")}/`,
      cMapPacked: true,
      standardFontDataUrl: `${join(library, "standard_fonts")}/`,
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: false,
      verbosity: 0,
    }).promise;
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === "PasswordException";
    const reason = isLocked ? "it is encrypted with a password: ask for it without one" : "it is broken or incomplete";
    throw new Refusal(reason, { cause });
  }
}

/** What somebody can do who wants to see such a page. `number`: from 1 on. */
function seeing(number: number): string {
  return (
    `. To see it: pdftoppm -f ${number} -l ${number} -r 100 -png in the workspace, where that is installed, and read_file the picture. ` +
    "Otherwise ask for a photo of the page, or for the PDF after text recognition"
  );
}

async function writePage(
  document: PDFDocumentProxy,
  index: number,
  sink: LineSink,
  withoutText: (number: number) => string,
): Promise<void> {
  const page = await pageOf(document, index);
  if (page === undefined) return sink.line("[this page is broken]");
  const { items } = await page.getTextContent();
  let isEmpty = true;
  for (const item of items) {
    if (sink.isFull) break;
    if (!("str" in item)) continue;
    isEmpty &&= item.str.trim() === "";
    sink.write(item.hasEOL ? `${item.str}\n` : item.str);
  }
  sink.endLine();
  for (const line of await fieldsOf(page)) sink.line(line);
  if (isEmpty) sink.line(withoutText(index + 1));
  page.cleanup();
}

async function pageOf(document: PDFDocumentProxy, index: number): Promise<PDFPageProxy | undefined> {
  return await document.getPage(index + 1).catch(() => undefined);
}

interface Field {
  readonly fieldName?: unknown;
  readonly fieldValue?: unknown;
}

async function fieldsOf(page: PDFPageProxy): Promise<readonly string[]> {
  const fields = (await page.getAnnotations().catch(() => [])) as readonly Field[];
  return fields.flatMap(({ fieldName, fieldValue }) => {
    const value = Array.isArray(fieldValue) ? fieldValue.join(", ") : fieldValue;
    if (typeof fieldName !== "string" || typeof value !== "string" || value === "") return [];
    return [`[field ${fieldName.slice(0, 200)}: ${value.slice(0, mostFieldChars)}]`];
  });
}

async function propertiesOf(document: PDFDocumentProxy): Promise<readonly string[]> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const { Title: title, Author: author } = info as { readonly Title?: unknown; readonly Author?: unknown };
  return [
    ...(typeof title === "string" && title.trim() !== "" ? [`title: ${title.slice(0, 300)}`] : []),
    ...(typeof author === "string" && author.trim() !== "" ? [`by: ${author.slice(0, 300)}`] : []),
  ];
}

/** Files inside of it are named and not opened. */
async function namesIn(document: PDFDocumentProxy): Promise<readonly string[]> {
  const files = await document.getAttachments().catch(() => undefined);
  const names = files instanceof Map ? [...files.keys()] : Object.keys(files ?? {});
  return names.length === 0 ? [] : [`has ${names.length} files inside: ${names.slice(0, 20).join(", ").slice(0, 500)}`];
}
