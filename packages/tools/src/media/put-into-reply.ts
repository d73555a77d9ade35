import { endingOf, oneLine, type ToolContext, type ToolResult } from "@talaria/agent";
import type { MadeFile } from "./ports.ts";

/** Keeps what was made and attaches it to the reply. */
export async function putIntoReply(
  { bytes, mimeType, usage }: MadeFile,
  name: string,
  { media, signal }: Pick<ToolContext, "media" | "signal">,
): Promise<ToolResult> {
  const { ref, mimeType: type, byteLength } = await media.put(bytes, mimeType, signal);
  return {
    content: `"${name}" (${type}, ${byteLength} bytes) goes out with your answer.`,
    reply: { attachments: [{ ref, mimeType: type, byteLength, name }] },
    ...(usage === undefined ? {} : { usage }),
  };
}

/** A name that every system takes, with the ending of its type. */
export function fileNameFor(wanted: string, mimeType: string): string {
  const plain = oneLine(wanted.replace(/[\\/:*?"<>|]/g, " ")).replace(/^[.\s]+|[.\s]+$/g, "") || "file";
  return `${plain}.${endingOf(mimeType)}`;
}
