import type { AccountPolicy, InboundEvent, InboundMessage } from "@talaria/protocol";
import { isBlank, wordsFor } from "@talaria/words";
import { accessOf, type LetIn } from "./access.ts";
import { isAddressed, mayCommand } from "./addressing.ts";
import type { AdmissionReason } from "./admission-reasons.ts";
import { type GivenCommand, parseCommand, pressedCommand } from "./commands.ts";

export type Decision =
  /** Our own words coming back. Not even recorded. */
  | { readonly kind: "echo" }
  /** `unanswered`: somebody who may talk to us wrote it to us, and waits for an answer. */
  | { readonly kind: "ignore"; readonly reason: AdmissionReason; readonly unanswered?: true }
  /** `notice` is for a person who may talk to us; strangers get none. */
  | { readonly kind: "refuse"; readonly reason: AdmissionReason; readonly notice?: string }
  /** A stranger where strangers may ask for access. */
  | { readonly kind: "pair" }
  | { readonly kind: "command"; readonly command: GivenCommand }
  /** Nearly a command or a skill's name, of somebody who may give the one that is meant. */
  | { readonly kind: "mistyped"; readonly meant: string }
  | { readonly kind: "turn" };

export interface AdmissionContext extends LetIn {
  /** Longest text that one message may bring, in UTF-16 units. */
  readonly maxTextChars: number;
  /** It is ours whatever it says: another part of the album was addressed to us, or we take part in the thread. */
  readonly joins?: boolean;
}

/**
 * Decides what becomes of an event before anything is stored. The order matters: identity, access, addressing, and only then content.
 */
export async function admit(event: InboundEvent, policy: AccountPolicy, context: AdmissionContext): Promise<Decision> {
  const { sender } = event;
  if (sender.role === "self") return { kind: "echo" };
  if (sender.userId.trim() === "") return { kind: "refuse", reason: "no_sender_id" };
  if (sender.role === "bot" && policy.access.bots === "off") return { kind: "ignore", reason: "from_bot" };
  if (sender.role === "system" && sender.assurance !== "signed") return { kind: "ignore", reason: "from_system" };
  const access = await accessOf(event, policy, context);
  const isSpoken = event.type === "message.created";
  if (access === "stranger") {
    if (isSpoken && isTooOld(event, policy)) return { kind: "ignore", reason: "too_old" };
    return isSpoken && sender.role !== "bot" ? { kind: "pair" } : { kind: "refuse", reason: "not_allowed" };
  }
  if (access !== "allowed") return { kind: "refuse", reason: access };
  const decision = route(event, policy, context);
  const asks = decision.kind === "turn" || decision.kind === "command";
  if (!asks || event.type === "message.deleted" || !isTooOld(event, policy)) return decision;
  return { kind: "ignore", reason: "too_old", ...(isSpoken ? { unanswered: true } : {}) };
}

/** Compared with when it arrived, so that a message that waits here does not grow old. A time in the future is none. */
function isTooOld({ occurredAt, receivedAt }: InboundEvent, { catchUp }: AccountPolicy): boolean {
  return Date.parse(receivedAt) - Date.parse(occurredAt) > catchUp.maxAgeMs;
}

function route(event: InboundEvent, policy: AccountPolicy, context: AdmissionContext): Decision {
  switch (event.type) {
    case "message.created":
    case "message.edited":
      return routeMessage(event.message, event, policy, context);
    case "message.deleted":
      return { kind: "turn" };
    case "action.invoked": {
      // A button of ours, pressed by somebody who may: meant for us by its nature.
      const command = pressedCommand(event.actionId);
      return command === undefined ? { kind: "turn" } : { kind: "command", command };
    }
    case "reaction.added":
    case "reaction.removed":
      return { kind: "ignore", reason: "reaction" };
    default:
      return event satisfies never;
  }
}

function routeMessage(
  message: InboundMessage,
  event: InboundEvent,
  policy: AccountPolicy,
  { maxTextChars, joins = false }: AdmissionContext,
): Decision {
  const command = joins || mayCommand(message, event, policy) ? commandIn(message, event) : undefined;
  if (command === undefined && !joins && !isAddressed(message, event, policy))
    return { kind: "ignore", reason: "not_addressed" };
  if (saysNothing(message)) return { kind: "ignore", reason: "empty" };
  const { length } = message.markdown;
  if (length > maxTextChars)
    return { kind: "refuse", reason: "too_long", notice: wordsFor(event).notices.tooLong(length, maxTextChars) };
  return command === undefined ? { kind: "turn" } : { kind: "command", command };
}

/** Whoever answers a message without a word of their own means that message. */
function saysNothing({ attachments, markdown, quote }: InboundMessage): boolean {
  return attachments.length === 0 && isBlank(markdown) && quote === undefined;
}

function commandIn(message: InboundMessage, event: InboundEvent): GivenCommand | undefined {
  const { role } = event.sender;
  if (event.type !== "message.created" || role === "system" || role === "bot") return undefined;
  return parseCommand(message.markdown);
}
