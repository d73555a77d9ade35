import { oneLine } from "./untrusted-text.ts";

const mostBytes = 120;

/** By the ending. Where several endings have one type, the first names it. */
const types: Readonly<Record<string, string>> = {
  txt: "text/plain",
  csv: "text/csv",
  md: "text/markdown",
  ics: "text/calendar",
  tsv: "text/tab-separated-values",
  html: "text/html",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  toml: "application/toml",
  pdf: "application/pdf",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  epub: "application/epub+zip",
  zip: "application/zip",
  gz: "application/gzip",
  tgz: "application/gzip",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  opus: "audio/opus",
  wav: "audio/wav",
  flac: "audio/flac",
  aac: "audio/aac",
  m4a: "audio/mp4",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

/**
 * A name without folders that no system takes for something else, of at most 120 bytes in UTF-8; the ending of a longer one stays. One
 * that is missing, or that nothing is left of, is made of the type.
 */
export function safeFileName(name: string, mimeType: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const plain = oneLine(last.replace(/[:*?"<>|]/g, "_"), last.length).replace(/^[.\s-]+|[.\s]+$/g, "");
  return plain === "" ? `file.${endingOf(mimeType)}` : shortened(plain);
}

/** What a name claims to be. Undefined: nothing that is known. */
export function claimedTypeOf(name: string): string | undefined {
  const ending = /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(types, ending) ? types[ending] : undefined;
}

/** Without a dot. `bin` for what is not known. */
export function endingOf(mimeType: string): string {
  const known = Object.entries(types).find(([, type]) => type === mimeType)?.[0];
  return known ?? (mimeType.startsWith("text/") ? "txt" : "bin");
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= mostBytes) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? "";
  let room = mostBytes - Buffer.byteLength(ending);
  let start = "";
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    start += character;
  }
  return `${start}${ending}`;
}
