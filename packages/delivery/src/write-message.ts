import type { Conversation, ErrorCode, GatewayError, MessageRef, OutboundMessage } from "@talaria/protocol";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { noteRateLimit } from "./rate-limit.ts";
import { type Answer, type Call, isPost } from "./reply-message.ts";

const finalMs = 120_000;
const previewMs = 15_000;
/** Texts that fail so are tried again, all of them as soon as one gets through. */
const notTaken: ReadonlySet<ErrorCode> = new Set(["unavailable", "unauthorized"]);

/**
 * The only caller of `send`, `edit`, `findSent`, `delete` and reply views: each call is certain to end. A rate
 * limit of the platform applies to the whole account's calls. Never rejects.
 */
export async function writeMessage(
  call: Call,
  conversation: Conversation,
  context: AccountContext,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const callMs = call.isFinal ? finalMs : previewMs;
    const making = (calling: AbortSignal) => make(call, conversation, context, calling);
    const answer = await callPlatform(context.clock, callMs, signal, making);
    context.pacing.worked(conversation.conversationId);
    if (isPost(call)) context.outage.worked();
    else if (call.kind === "edit") context.outage.reached();
    if (isPost(call) || call.kind === "edit") context.adapter.reached?.();
    return answer;
  } catch (thrown) {
    const error = thrown as GatewayError;
    if (isPost(call) && error.effect === "unknown") context.outage.failed();
    else if (call.isFinal && notTaken.has(error.code) && error.retryAfterMs === undefined) context.outage.refused();
    noteRateLimit(error, conversation, context);
    if (!call.isFinal) {
      const { log, accountId } = context;
      log.debug({ accountId, call: call.kind, code: error.code, error }, "a preview was not written");
    }
    return { error };
  }
}

async function make(
  call: Call,
  conversation: Conversation,
  { adapter }: AccountContext,
  signal: AbortSignal,
): Promise<Answer> {
  const refOf = (messageId: MessageRef["messageId"]): MessageRef => ({ conversation, messageId });
  switch (call.kind) {
    case "send":
      return idOf(await adapter.send(call.message, signal));
    case "find":
      return idOf(await adapter.findSent?.(call.message, signal));
    case "edit": {
      const { markdown, choices }: OutboundMessage = call.message;
      await adapter.edit?.(refOf(call.messageId), markdown, signal, choices);
      return {};
    }
    case "close": {
      const { markdown, choices }: OutboundMessage = call.message;
      if (adapter.edit === undefined) await adapter.closed?.(refOf(call.messageId), signal);
      else await adapter.edit(refOf(call.messageId), markdown, signal, choices);
      return {};
    }
    case "open": {
      const view = await adapter.openReply?.(call.target, signal);
      return view === undefined ? {} : { view };
    }
    case "update":
      await call.view.update(call.message.markdown, signal);
      return {};
    case "finish":
      return idOf(await call.view.finish(call.message, signal));
    case "discard":
      await call.view.discard(signal);
      return {};
    case "remove":
      await adapter.delete?.(refOf(call.messageId), signal);
      return {};
    case "leave":
      await adapter.leave?.(conversation, signal);
      return {};
    default:
      return call satisfies never;
  }
}

function idOf(sent: MessageRef | undefined): Answer {
  return sent === undefined ? {} : { messageId: sent.messageId };
}
