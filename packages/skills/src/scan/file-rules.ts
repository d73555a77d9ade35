import { holdsSecret, mixedAlphabets, visibleText } from "@talaria/protocol";
import type { SkillFile } from "../skill.ts";
import type { Remark } from "./remark.ts";

/** What a file is by its first bytes. */
const programs: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x00, 0x61, 0x73, 0x6d],
];
const archives: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x1f, 0x8b],
  [0x37, 0x7a, 0xbc, 0xaf],
  [0x52, 0x61, 0x72, 0x21],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58],
];
/** Documents that are archives by their form. */
const packedDocuments = /\.(?:docx|xlsx|pptx|odt|ods|odp|epub)$/i;
const pictures = /\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|pdf|ttf|otf|woff2?|mp3|mp4|wav|ogg|webm)$/i;

/** Half a page of text in which nobody can read anything. */
const encoded = /[A-Za-z0-9+/]{400,}={0,2}|(?:\\x[0-9a-fA-F]{2}){60,}|(?:[0-9a-fA-F]{2}){300,}/;

/** What a file has that its words don't tell. */
export function scanFile(file: SkillFile): readonly Remark[] {
  return file.text === undefined ? scanBytes(file) : scanCharacters(file.path, file.text);
}

function scanBytes({ path, bytes }: SkillFile): readonly Remark[] {
  const begins = (starts: readonly (readonly number[])[]) =>
    starts.some((start) => start.every((byte, index) => bytes[index] === byte));
  const remark = (rule: string, why: string, isObjection: boolean) => [{ rule, why, isObjection, file: path, line: 1 }];
  if (begins(programs)) return remark("program", "it brings a program that nobody can read", true);
  if (isLocked(bytes)) return remark("archive-with-password", "it brings an archive that has a password", true);
  if (begins(archives) && !packedDocuments.test(path))
    return remark("archive", "it brings an archive: what is in it was not looked at", false);
  if (pictures.test(path) || packedDocuments.test(path)) return [];
  return remark("no-text", "it brings a file that is no text", false);
}

/** Of a zip archive: the first file's flag for encryption (APPNOTE 4.4.4). */
function isLocked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && ((bytes[6] ?? 0) & 1) === 1;
}

function scanCharacters(file: string, text: string): readonly Remark[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const found = (rule: string, why: string, isObjection: boolean, isHit: (line: string) => boolean) => {
    const line = lines.findIndex(isHit);
    return line < 0 ? [] : [{ rule, why, isObjection, file, line: line + 1 }];
  };
  return [
    ...found(
      "hidden-characters",
      "it has characters that nobody sees, or that turn text round",
      true,
      (line) => visibleText(line) !== line,
    ),
    ...found(
      "mixed-alphabets",
      "it has words of mixed alphabets, which look like others than they are",
      false,
      (line) => mixedAlphabets.test(line.replace(/\\[a-z]/g, " ")),
    ),
    ...found("holds-secret", "it holds what looks like a secret", false, holdsSecret),
    ...found("encoded-text", "it has a long text that nobody can read", false, (line) => encoded.test(line)),
    ...found("pushed-aside", "it has words so far to the right that nobody sees them", true, (line) =>
      /\S? {150,}\S/.test(line),
    ),
  ];
}
