import { claimedTypeOf, defineTool, safeFileName, type ToolContext, type ToolResult } from "@talaria/agent";
import { GatewayError, type MessageCapabilities } from "@talaria/protocol";
import { z } from "zod";
import { openFile } from "./file-named.ts";
import { fileOfWorkspace } from "./file-of-workspace.ts";
import { workspacePath } from "./files/file-resource.ts";

const mostChars = 1_000_000;
const mostPaths = 10;

type Sending = NonNullable<MessageCapabilities["send"]>;
type Sent = NonNullable<NonNullable<ToolResult["reply"]>["attachments"]>[number];

const name = z.string().min(1).max(1_000);
const text = z.strictObject({
  name: name.optional(),
  content: z.string().max(mostChars).optional(),
  attachment: z.string().optional(),
});
const withPaths = text.extend({
  paths: z.array(z.string().min(1).max(4_096)).min(1).max(mostPaths).optional(),
});

/** Puts files into the reply, on a platform without a workspace. The same call gives the same content again, so it may run twice. */
export function createSendFile(send: Sending) {
  return defineTool({
    name: "send_file",
    description:
      "Attaches a file to your answer, where you say what it is: a new text file (name, content) or one of this conversation (attachment: " +
      "its id).",
    effect: "read",
    permissions: ["send"],
    input: text,
    execute: (input, context) => sent(input, context, send),
  });
}

/** The same where there is a workspace. A file that was changed meanwhile goes out as it is when the call runs again. */
export function createSendFiles(send: Sending) {
  return defineTool({
    name: "send_file",
    description:
      "Attaches files to your answer, where you say what they are: workspace files (paths; a folder as an archive), a new text file " +
      "(name, content) or one of this conversation (attachment: its id).",
    effect: "read",
    permissions: ["send", "fs.read"],
    timeoutMs: 180_000,
    input: withPaths,
    targets: ({ paths = [] }) => paths.map(workspacePath),
    execute: (input, context) => sent(input, context, send),
  });
}

async function sent(
  { name, content, attachment, paths }: z.infer<typeof withPaths>,
  context: ToolContext,
  send: Sending,
): Promise<ToolResult> {
  const given = [content, attachment, paths].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new GatewayError("give one of content, attachment and paths", { code: "invalid_request" });
  }
  const files: Sent[] = [];
  if (content !== undefined) files.push(await newText(name, content, context));
  if (attachment !== undefined) files.push(await known(name, attachment, context));
  for (const path of paths ?? []) {
    const file = await fileOfWorkspace(path, send.maxBytes, context);
    files.push(paths?.length === 1 && name !== undefined ? { ...file, name: safeFileName(name, file.mimeType) } : file);
  }
  const lines = files.map(
    (file) => `"${file.name}" (${file.mimeType}, ${file.byteLength} bytes) goes out with your answer.`,
  );
  return { content: lines.join("\n"), reply: { attachments: files } };
}

async function newText(name: string | undefined, content: string, { media, signal }: ToolContext): Promise<Sent> {
  if (name === undefined) throw new GatewayError("a new file needs a name", { code: "invalid_request" });
  const shownName = safeFileName(name, "text/plain");
  return {
    ...(await media.put(Buffer.from(content, "utf8"), claimedTypeOf(shownName) ?? "text/plain", signal)),
    name: shownName,
  };
}

async function known(name: string | undefined, attachment: string, context: ToolContext): Promise<Sent> {
  const { ref, mimeType, byteLength, name: itsName = "" } = await openFile(attachment, context);
  return { ref, mimeType, byteLength, name: safeFileName(name ?? itsName, mimeType) };
}
