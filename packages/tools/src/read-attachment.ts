import {
  defineTool,
  inboxPathOf,
  isShowable,
  type KnownFile,
  type NamedMedia,
  safeFileName,
  type ToolContext,
  type ToolResult,
} from "@talaria/agent";
import { isDocument } from "@talaria/documents";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { z } from "zod";
import { type OpenedFile, openFile } from "./file-named.ts";
import { encodingOf, encodingWords, type SeenEncoding } from "./files/text-encoding.ts";
import { pageSchema, textOfKept, type WantedText } from "./text-of-document.ts";

/** Enough to tell how a text is encoded. */
const seenBytes = 65_536;
const mostBytes = 16_000;
const texts = /^(text\/.+|image\/svg\+xml|application\/(json|x-ndjson|xml|yaml|x-yaml|toml|x-sh))$/;

const mostLines = 2_000;

/** Reads a text file or a document that came along, piece by piece, and shows a picture. What nobody has fetched before is fetched. */
export const readAttachment = defineTool({
  name: "read_attachment",
  description:
    'Reads a file of this conversation by the id in its <attachment> line or a tool\'s result, also where opened="false": text, a ' +
    "picture, the text of a document (PDF, office, ...), or the list of an archive.",
  effect: "read",
  permissions: ["conversation.read"],
  timeoutMs: 90_000,
  input: z.strictObject({
    id: z.string(),
    page: pageSchema,
    offset: z.int().min(0).default(0).describe("First byte, or line of a document"),
    limit: z.int().min(1).max(mostBytes).default(mostBytes),
  }),
  async execute({ id, page, offset, limit }, context): Promise<ToolResult> {
    const file = await openFile(id, context);
    const { ref, mimeType, byteLength } = file;
    if (isShowable(file)) {
      const picture = { ref, mimeType, byteLength };
      const kept = [file.isFetchedNow ? named(file) : picture];
      return { content: `The picture follows (${mimeType}).`, untrusted: true, kept, shows: [picture] };
    }
    const name = named(file).name ?? "";
    const head = await context.media.read(ref, { offset: 0, length: seenBytes }, context.signal);
    if (isDocument(head, name)) {
      return await shownDocument(
        file,
        { page, offset: Math.max(1, offset), limit: mostLines, mostChars: limit },
        context,
      );
    }
    if (page !== undefined) throw new GatewayError(`${name} has no pages: leave page out`, { code: "invalid_request" });
    const encoding = encodingOf(head);
    // A text that is no UTF-8 has no type of its own.
    if (!texts.test(mimeType) && (mimeType !== "application/octet-stream" || isPlain(encoding))) return noText(file);
    if (offset > 0 && offset >= file.byteLength) {
      throw new GatewayError(`the file ends at byte ${file.byteLength}`, { code: "invalid_request" });
    }
    const bytes = await context.media.read(ref, { offset, length: limit }, context.signal);
    const { text, end, words } = piece(bytes, offset, file, encoding);
    const rest = end < file.byteLength ? `; go on with offset ${end}` : "";
    const content = `bytes ${offset} to ${end} of ${file.byteLength}${words}${rest}\n\n${text}`;
    return { content, untrusted: true, ...(file.isFetchedNow && { kept: [named(file)] }) };
  },
});

/** With a name it lies where tools work from here on, if there are any. */
function named({ ref, mimeType, byteLength, name }: KnownFile): NamedMedia {
  return { ref, mimeType, byteLength, name: name ?? safeFileName("", mimeType) };
}

/** One that can't be read lies where other programs may try. */
async function shownDocument(file: OpenedFile, wanted: WantedText, context: ToolContext): Promise<ToolResult> {
  const kept = [named(file)];
  try {
    const content = await textOfKept(file, named(file).name ?? "", wanted, context);
    return { content, untrusted: true, ...(file.isFetchedNow && { kept }) };
  } catch (error) {
    if (!isGatewayError(error, "unsupported") && !isGatewayError(error, "too_large")) throw error;
    return {
      content: `${error.message}. Tools that work in a workspace find it at ${inboxPathOf(named(file))}.`,
      kept,
    };
  }
}

function noText(file: KnownFile): ToolResult {
  const { mimeType, byteLength } = file;
  return {
    content:
      `This is no text file but ${mimeType}, ${byteLength} bytes: it can't be read here. ` +
      `Tools that work in a workspace find it at ${inboxPathOf(named(file))}.`,
    kept: [named(file)],
  };
}

function isPlain(encoding: SeenEncoding | undefined): encoding is "ascii" | undefined {
  return encoding === undefined || encoding === "ascii";
}

function piece(bytes: Uint8Array, offset: number, file: KnownFile, seen: SeenEncoding | undefined) {
  const encoding = isPlain(seen) ? encodingOf(bytes) : seen;
  if (isPlain(encoding) || encoding.label === "utf-8") return { ...wholeCharacters(bytes, offset, file), words: "" };
  // Characters of UTF-16 have two bytes.
  const isCut = encoding.label.startsWith("utf-16") && bytes.byteLength > 1 && bytes.byteLength % 2 === 1;
  const whole = isCut ? bytes.subarray(0, -1) : bytes;
  return {
    text: new TextDecoder(encoding.label).decode(whole),
    end: offset + whole.byteLength,
    words: `, ${encodingWords(encoding)}`,
  };
}

/** Leaves out halves of characters: the next piece begins with the one that was cut at the end. */
function wholeCharacters(bytes: Uint8Array, offset: number, { byteLength }: KnownFile): { text: string; end: number } {
  const isContinuation = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80;
  let start = 0;
  while (offset > 0 && start < Math.min(3, bytes.byteLength) && isContinuation(start)) start += 1;
  let end = bytes.byteLength;
  if (offset + end < byteLength) {
    let lead = end - 1;
    while (lead > Math.max(start, end - 4) && isContinuation(lead)) lead -= 1;
    if (lead > start && end - lead < lengthOf(bytes[lead] ?? 0)) end = lead;
  }
  return { text: new TextDecoder().decode(bytes.subarray(start, end)), end: offset + end };
}

/** Bytes of the character that begins with this one. */
function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
