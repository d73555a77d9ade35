import type { OpenDocument } from "../open-document.ts";
import type { ZipParts } from "../zip-parts.ts";
import { archiveOf } from "./archive-list.ts";

export function openZipArchive(parts: ZipParts): OpenDocument {
  const files = parts.entries.map(({ name, size, isEncrypted }) => ({
    name,
    size,
    note: isEncrypted ? "encrypted" : "",
  }));
  return archiveOf("zip archive", files);
}
