import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { ZipParts } from "../zip-parts.ts";

const password = "it is encrypted with a password: ask for it without one";

/** What lies in a zip container: a document by its parts, else an archive. */
export async function openContainer(bytes: Buffer): Promise<OpenDocument> {
  const parts = await ZipParts.open(bytes);
  if (parts.has("[Content_Types].xml")) return await openOffice(parts);
  if (parts.has("mimetype") || parts.has("META-INF/container.xml")) {
    const type = parts.has("mimetype") ? (await parts.bytes("mimetype")).toString("latin1", 0, 200).trim() : "";
    if (parts.has("META-INF/container.xml")) return await (await import("./epub.ts")).openEpub(parts);
    if (type.startsWith("application/vnd.oasis.opendocument.")) {
      return await (await import("./open-document-format.ts")).openOdf(parts, type);
    }
  }
  if (parts.entries.some(({ name }) => /^(Index\/|.*\/)?Document\.iwa$|^Index\.zip$/.test(name))) {
    throw new Refusal("it is a document of Apple's Pages, Numbers or Keynote: ask for it as PDF, docx, xlsx or pptx");
  }
  return (await import("./zip-archive.ts")).openZipArchive(parts);
}

async function openOffice(parts: ZipParts): Promise<OpenDocument> {
  if (parts.entries.some(({ name, isEncrypted }) => isEncrypted && name === "[Content_Types].xml")) {
    throw new Refusal(password);
  }
  if (parts.has("xl/workbook.bin")) throw new Refusal("it is a binary workbook (xlsb): ask for it as xlsx");
  const { openPackage } = await import("../office-package.ts");
  const office = await openPackage(parts);
  switch (office.kind) {
    case "document":
      return await (await import("./docx.ts")).openDocx(office);
    case "workbook":
      return await (await import("./xlsx.ts")).openXlsx(office);
    case "presentation":
      return await (await import("./pptx.ts")).openPptx(office);
    case undefined:
      return (await import("./zip-archive.ts")).openZipArchive(parts);
    default:
      return office.kind satisfies never;
  }
}
