import { createHash } from "node:crypto";
import type { Conversation } from "./conversation.ts";
import { type Brand, brandAs, type TurnId } from "./ids.ts";
import type { Sender } from "./sender.ts";

/** Names the agent memory an event belongs to. Safe as a BullMQ job id: it never contains a colon. */
export type SessionKey = Brand<"SessionKey">;

/** Who shares one session: everyone in the conversation, everyone in the thread, or one sender alone. */
export type SessionScope = "conversation" | "thread" | "sender";

/**
 * Platforms whose conversations have no kind of their own: a third person who joins makes a group of a direct one. What was said in
 * private, and the files of its workspace, are another session's then. Elsewhere a conversation keeps the kind that it was made with.
 */
const platformsOfChangingKinds: readonly string[] = ["matrix"];

export function sessionKeyOf(conversation: Conversation, sender: Sender, scope: SessionScope): SessionKey {
  const segments: string[] = [conversation.accountId, conversation.conversationId];
  if (conversation.kind !== "direct" && platformsOfChangingKinds.includes(conversation.platform)) segments.push("g");
  if (scope !== "conversation" && conversation.threadId !== undefined) segments.push("t", conversation.threadId);
  if (scope === "sender") segments.push("u", sender.userId);
  return brandAs<SessionKey>(segments.map(encodeURIComponent).join("/"));
}

/**
 * Where a conversation may change its kind: `base` is the key of its sessions or, before a slash, how they begin, and those of a group
 * go on with `/g`. Undefined where it keeps its kind.
 */
export function changingKindOf(
  conversation: Conversation,
): { readonly base: string; readonly isGroup: boolean } | undefined {
  const { platform, accountId, conversationId, kind } = conversation;
  if (!platformsOfChangingKinds.includes(platform)) return undefined;
  return { base: [accountId, conversationId].map(encodeURIComponent).join("/"), isGroup: kind !== "direct" };
}

/** The id of the turn whose first event has number `firstSeq` in this session. Deterministic, 1 to 40 characters. */
export function turnIdOf(sessionKey: SessionKey, firstSeq: number): TurnId {
  const digest = createHash("sha256").update(sessionKey).digest("base64url").slice(0, 22);
  return brandAs<TurnId>(`${digest}-${firstSeq}`);
}
