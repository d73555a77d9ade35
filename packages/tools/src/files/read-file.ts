import {
  claimedTypeOf,
  defineTool,
  isShowable,
  type ToolContext,
  type ToolResult,
  type Workspace,
} from "@talaria/agent";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { z } from "zod";
import { pageSchema, textOfFile } from "../text-of-document.ts";
import { workspaceOf } from "../workspace-of.ts";
import { fileResource, workspacePath } from "./file-resource.ts";
import { numbered } from "./numbered.ts";
import { readLines } from "./read-lines.ts";
import { encodingWords } from "./text-encoding.ts";

const mostLines = 2_000;
const mostChars = 16_000;
const mostEntries = 200;
/** Larger ones no model is shown. */
const mostPictureBytes = 5 * 1_024 * 1_024;

/** Lines of a text file, or the entries of a folder. */
export const readFile = defineTool({
  name: "read_file",
  description:
    `Reads a workspace file: text with line numbers, up to ${mostChars} characters per call, a picture, the text of a document (PDF, ` +
    "office, ...), or the list of a folder or archive.",
  effect: "read",
  permissions: ["fs.read"],
  timeoutMs: 90_000,
  input: z.strictObject({
    path: z.string().min(1).max(4_096),
    page: pageSchema,
    offset: z.int().min(1).default(1).describe("First line"),
    limit: z.int().min(1).max(mostLines).default(500),
  }),
  resources: ({ path }) => [fileResource(path)],
  targets: ({ path }) => [workspacePath(path)],
  async execute({ path, page, offset, limit }, context): Promise<ToolResult> {
    const workspace = workspaceOf(context);
    try {
      const did = [{ kind: "read", path }] as const;
      const read = await shownLines(workspace, path, offset, limit);
      if (read === "document")
        return { content: await textOfFile(path, { page, offset, limit, mostChars }, context), did };
      if (page !== undefined)
        throw new GatewayError(`${path} has no pages: leave page out`, { code: "invalid_request" });
      if (typeof read === "string") return { content: read, did };
      return { ...((await shownPicture(path, read.size, context)) ?? { content: binaryText(path, read) }), did };
    } catch (error) {
      const listing = isGatewayError(error, "invalid_request") ? await shownFolder(workspace, path) : undefined;
      if (listing === undefined) throw error;
      return { content: listing };
    }
  },
});

interface Binary {
  readonly size: number;
  readonly start: Uint8Array;
}

async function shownLines(workspace: Workspace, path: string, first: number, most: number) {
  const wanted = { first, most, mostChars };
  const { lines, size, hasMore, binary, isDocument, encoding = "ascii" } = await readLines(workspace, path, wanted);
  if (isDocument) return "document" as const;
  if (binary !== undefined) return { size, start: binary } satisfies Binary;
  if (size === 0) return `${path} is empty.`;
  if (lines.length === 0) {
    throw new GatewayError(`${path} has no line ${first}`, { code: "not_found" });
  }
  const last = first + lines.length - 1;
  const rest = hasMore ? `; go on with offset ${last + 1}` : "";
  const words = encodingWords(encoding);
  const how = words === "" ? "" : `, ${words}`;
  return `${path}, lines ${first} to ${last}${hasMore ? "" : " (the last)"}, ${size} bytes${how}${rest}\n\n${numbered(lines, first)}`;
}

function binaryText(path: string, { size, start }: Binary): string {
  return `${path} is no text: ${size} bytes that begin with ${Buffer.from(start).toString("hex")} (hex).`;
}

/** Undefined for what models are not shown: other kinds, and what is too large. */
async function shownPicture(path: string, size: number, context: ToolContext): Promise<ToolResult | undefined> {
  const claim = claimedTypeOf(path) ?? "";
  if (size > mostPictureBytes || !claim.startsWith("image/")) return undefined;
  const { bytes } = await workspaceOf(context).read(path, { length: mostPictureBytes });
  const picture = await context.media.put(bytes, claim, context.signal);
  if (!isShowable(picture)) return undefined;
  return { content: `${path} follows (${picture.mimeType}, ${size} bytes).`, kept: [picture], shows: [picture] };
}

/** Undefined when it is no folder. */
async function shownFolder(workspace: Workspace, path: string): Promise<string | undefined> {
  const entries = await workspace.list(path, mostEntries + 1).catch(() => undefined);
  if (entries === undefined) return undefined;
  const shown = entries.slice(0, mostEntries).map(({ name, kind, size }) => {
    return kind === "folder" ? `${name}/` : `${name}  ${kind === "file" ? `${size} bytes` : kind}`;
  });
  const more = entries.length > mostEntries ? [`[more than ${mostEntries} entries; use search_files]`] : [];
  return [`${path} is a folder:`, ...(shown.length === 0 ? ["(empty)"] : shown), ...more].join("\n");
}
