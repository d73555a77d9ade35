import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { KnownFile, MediaAccess, Tool, ToolContext, ToolResult, Workspace } from "@talaria/agent";
import { brandAs, GatewayError, type MediaRef } from "@talaria/protocol";

/** What a call finds; everything may be replaced. */
export function contextOf(more: Partial<ToolContext> & { readonly workspace?: Workspace } = {}): ToolContext {
  return {
    sessionKey: brandAs("s"),
    turnId: brandAs("t"),
    conversation: { accountId: brandAs("a"), platform: "web", conversationId: brandAs("c"), kind: "direct" },
    requesters: [],
    participants: [],
    roles: new Map(),
    files: [],
    media: mediaInMemory(),
    callId: "c1",
    idempotencyKey: "t:c1",
    signal: new AbortController().signal,
    now: () => 1_790_000_000_000,
    progress: () => {},
    ...more,
  };
}

/** Calls a tool as the agent does: through its schema. */
export async function call(tool: Tool, input: object, context: ToolContext): Promise<ToolResult> {
  const answer = await tool.execute(tool.input.parse(input), context);
  assert.ok("content" in answer, "it answers at once");
  return answer;
}

export function mediaInMemory(): MediaAccess & { readonly kept: Map<string, { bytes: Uint8Array; mimeType: string }> } {
  const kept = new Map<string, { bytes: Uint8Array; mimeType: string }>();
  return {
    kept,
    read: async (ref, { offset, length }) => {
      const found = kept.get(ref);
      if (found === undefined) throw new GatewayError("it is not kept any more", { code: "not_found" });
      return found.bytes.subarray(offset, offset + length);
    },
    put: async (content, mimeType) => {
      const bytes = content instanceof Uint8Array ? content : Buffer.concat(await Readable.from(content).toArray());
      const ref = brandAs<MediaRef>(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
      kept.set(ref, { bytes, mimeType });
      return { ref, mimeType, byteLength: bytes.byteLength };
    },
  };
}

export function fileOf(ref: MediaRef, mimeType: string, byteLength: number): KnownFile {
  return { id: ref.slice("sha256:".length, "sha256:".length + 12), ref, kind: "file", mimeType, byteLength };
}
