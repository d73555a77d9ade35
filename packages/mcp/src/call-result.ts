import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { KeptMedia, ToolContext, ToolResult } from "@talaria/agent";
import { GatewayError, type OutboundAttachment } from "@talaria/protocol";
import { label, markedResult } from "./untrusted.ts";

const mostBlocks = 200;
const mostFiles = 8;

export interface ResultOf {
  readonly server: string;
  readonly tool: string;
  readonly attachFiles: boolean;
}

interface File {
  readonly kept: KeptMedia;
  readonly name: string;
}

/**
 * A server's result as the model reads it: texts joined, files kept and named, everything marked as data. Throws
 * `invalid_request` with the server's own words where it reports a failure.
 */
export async function toToolResult(
  result: CallToolResult,
  { server, tool, attachFiles }: ResultOf,
  { media, signal }: Pick<ToolContext, "media" | "signal">,
): Promise<ToolResult> {
  const texts: string[] = [];
  const files: File[] = [];
  for (const block of result.content.slice(0, mostBlocks)) {
    const content = contentOf(block);
    if (typeof content === "string") texts.push(content);
    else texts.push(await keep(content, files, tool, media, signal));
  }
  if (result.content.length > mostBlocks) texts.push(`[${result.content.length - mostBlocks} further parts left out]`);
  if (texts.length === 0 && result.structuredContent !== undefined)
    texts.push(JSON.stringify(result.structuredContent));
  const content = markedResult(server, texts.join("\n\n"));
  if (result.isError === true) throw new GatewayError(content, { code: "invalid_request" });
  const attachments = files.map(toAttachment);
  const isAttached = attachFiles && attachments.length > 0;
  return { content, details: { files: attachments }, ...(isAttached ? { reply: { attachments } } : {}) };
}

interface Binary {
  readonly base64: string;
  readonly mimeType: string;
  readonly name?: string;
}

function contentOf(block: ContentBlock): string | Binary {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return { base64: block.data, mimeType: block.mimeType };
    case "resource_link":
      return `[resource ${label(block.name)} at ${label(block.uri)}]`;
    case "resource": {
      const { uri, mimeType } = block.resource;
      if ("text" in block.resource) return `[resource ${label(uri)}]\n${block.resource.text}`;
      const name = uri.split(/[/\\]/).at(-1);
      return {
        base64: block.resource.blob,
        mimeType: mimeType ?? "application/octet-stream",
        ...(name === undefined ? {} : { name }),
      };
    }
    default:
      return `[a part of an unknown kind: ${label(String((block as { type?: unknown }).type))}]`;
  }
}

/** Keeps a file. Its place in the text says what became of it. */
async function keep(
  { base64, mimeType, name }: Binary,
  files: File[],
  tool: string,
  media: ToolContext["media"],
  signal: AbortSignal,
): Promise<string> {
  if (files.length >= mostFiles) return `[a file left out: more than ${mostFiles} in one result]`;
  try {
    const kept = await media.put(Buffer.from(base64, "base64"), label(mimeType), signal);
    const shownName = fileName(name ?? `${tool}-${files.length + 1}`, kept.mimeType);
    files.push({ kept, name: shownName });
    return `[file "${shownName}" (${kept.mimeType}, ${kept.byteLength} bytes)]`;
  } catch (error) {
    signal.throwIfAborted();
    return `[a file of type ${label(mimeType)} could not be kept: ${label(error instanceof Error ? error.message : String(error))}]`;
  }
}

function fileName(text: string, mimeType: string): string {
  const plain = label(text.replace(/[\\/:*?"<>|]/g, "_")).replace(/^[.\s]+|[.\s]+$/g, "") || "file";
  const ending = mimeType === "text/plain" ? "txt" : /^[a-z]+\/([a-z0-9]{2,4})$/.exec(mimeType)?.[1];
  return /\.[A-Za-z0-9]{1,8}$/.test(plain) || ending === undefined ? plain : `${plain}.${ending}`;
}

function toAttachment({ kept: { ref, mimeType, byteLength }, name }: File): OutboundAttachment {
  return { ref, mimeType, byteLength, name };
}
