import type { Kind } from "../../kind-of.ts";
import { Refusal } from "../refusal.ts";

const archives: Partial<Record<Kind, string>> = {
  "7z": "a 7z archive: unpack it in the workspace, with 7z or 7za",
  rar: "a RAR archive: unpack it in the workspace, with unrar or 7z",
  xz: "compressed with xz: unpack it in the workspace, with tar or xz",
  bzip2: "compressed with bzip2: unpack it in the workspace, with tar or bzip2",
  zstd: "compressed with zstd: unpack it in the workspace, with tar or zstd",
};

/** Streams of the compound file format (MS-CFB) by which its kind is told; names are UTF-16 there. */
const streams: readonly { readonly name: string; readonly reason: string }[] = [
  { name: "EncryptedPackage", reason: "it is encrypted with a password: ask for it without one" },
  { name: "WordDocument", reason: oldOffice("Word", "docx or PDF") },
  { name: "Workbook", reason: oldOffice("Excel", "xlsx") },
  { name: "Book", reason: oldOffice("Excel", "xlsx") },
  { name: "PowerPoint Document", reason: oldOffice("PowerPoint", "pptx or PDF") },
];

/** Whether a compound file is a mail of Outlook (MS-OXMSG, 2.4), which may hold any other kind as a file. */
export function isOutlookMail(bytes: Buffer): boolean {
  return hasStream(bytes, "__properties_version1.0");
}

/** Why a kind is not read, and what may be done about it. */
export async function refuse(kind: Kind, bytes: Buffer): Promise<never> {
  const archive = archives[kind];
  if (archive !== undefined) throw new Refusal(`it is ${archive}`);
  const found = streams.find(({ name }) => hasStream(bytes, name));
  throw new Refusal(
    found?.reason ?? "it is a compound file of an old program of Microsoft's, of a kind that is not read",
  );
}

function hasStream(bytes: Buffer, name: string): boolean {
  return bytes.includes(Buffer.from(`${name}\0`, "utf16le"));
}

function oldOffice(program: string, better: string): string {
  return (
    `it is of the old format of ${program} 97 to 2003: ask for it as ${better}, or convert it in the workspace, ` +
    "with soffice --headless --convert-to where that is installed"
  );
}
