import type { AccountPolicy, InboundEvent, SessionKey } from "@talaria/protocol";
import type { Joining } from "@talaria/store";
import { pasteOf } from "./pastes.ts";

/** What people's apps do with threads on a platform, as its adapter says. */
export interface PlatformTraits {
  readonly threads?: "talks" | "rooms";
  readonly cutsTextAt?: number;
  readonly noReplies?: true;
  readonly choices?: { readonly close?: true; readonly max?: number; readonly maxRows?: number };
  readonly maxTextLength?: number;
  /** Absent: a message carries no files. */
  readonly send?: { readonly maxBytes: number };
}

/** By the platform's clock, which counts seconds on some. */
const pasteWithinMs = 3_000;
const hourMs = 3_600_000;

/**
 * What would make a message the agent's that does not address it. Undefined: nothing would. The store knows whether it is
 * so, since it also knows what the agent did before this process began.
 */
export function joiningOf(
  event: InboundEvent,
  sessionKey: SessionKey,
  policy: AccountPolicy,
  traits: PlatformTraits,
): Joining | undefined {
  if (event.type !== "message.created" && event.type !== "message.edited") return undefined;
  const thread = threadOf(event, policy, traits);
  const paste = pasteOf(event, traits.cutsTextAt);
  if (thread === undefined && paste === undefined) return undefined;
  return {
    sessionKey,
    isEdit: event.type === "message.edited",
    ...(thread === undefined ? {} : { thread }),
    ...(paste === undefined ? {} : { paste: { key: paste.key, withinMs: pasteWithinMs } }),
  };
}

/**
 * Whoever writes in a thread in which the agent takes part talks to it, for a while. Not where a thread is a room, not to
 * other bots, which would never stop, and not when somebody else is named.
 */
function threadOf(
  { conversation, message, sender }: Extract<InboundEvent, { type: "message.created" | "message.edited" }>,
  { groups }: AccountPolicy,
  { threads }: PlatformTraits,
): Joining["thread"] {
  const { threadId, kind } = conversation;
  if (threadId === undefined || kind === "direct" || threads !== "talks" || sender.role !== "person") return undefined;
  const isByName = groups.activation === "mention" || groups.activation === "keyword";
  if (!isByName || groups.threadHours === 0 || message.mentions.length > 0) return undefined;
  return { threadId, withinMs: groups.threadHours * hourMs };
}
