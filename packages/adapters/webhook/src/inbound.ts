import {
  type AccountId,
  brandAs,
  type ConversationId,
  type InboundEvent,
  instantOf,
  type Mandate,
  type MessageId,
  type UserId,
} from "@talaria/protocol";
import { type Group, groupOf } from "./coalesce.ts";
import type { WebhookConfig } from "./config.ts";
import { eventIdOf } from "./identify.ts";
import { parseBody } from "./parse-body.ts";
import { fillPrompt } from "./prompt.ts";
import type { RequestValues } from "./request-values.ts";

export interface ProvenRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** What `requestValues` found in both. */
  readonly values: RequestValues;
  readonly nowMs: number;
  readonly accountId: AccountId;
}

/** Headers that prove a request; the agent never sees them. */
const proofs = /signature|token|authorization|cookie|secret/;

export interface Received {
  readonly event: InboundEvent;
  /** Set where the event is read together with others. */
  readonly group?: Group;
}

/** What the route's conditions and templates may name. Throws `invalid_request` for a body that can't be read. */
export function requestValues(body: Uint8Array, headers: Headers): RequestValues {
  return {
    body: parseBody(body, headers),
    headers: Object.fromEntries([...headers].filter(([name]) => !proofs.test(name))),
  };
}

/**
 * A proven request as an event. Each one is a conversation of its own: what one build said is not the next one's memory.
 * Events that are read together share one.
 */
export function toEvent({ headers, body, values, nowMs, accountId }: ProvenRequest, config: WebhookConfig): Received {
  const id = eventIdOf(headers, body, nowMs, config);
  const group = groupOf(values, config);
  const at = instantOf(nowMs);
  const event: InboundEvent = {
    type: "message.created",
    id,
    conversation: {
      accountId,
      platform: "webhook",
      conversationId: brandAs<ConversationId>(group?.id ?? id),
      kind: "direct",
      title: config.route,
    },
    sender: {
      userId: brandAs<UserId>(config.route),
      role: "system",
      displayName: `webhook ${config.route}`,
      assurance: "signed",
      ...mandateIn(config),
    },
    occurredAt: at,
    receivedAt: at,
    message: {
      messageId: brandAs<MessageId>(id),
      ...fillPrompt(config.prompt, values),
      attachments: [],
      mentions: [],
      mentionsSelf: true,
      repliesToSelf: false,
    },
  };
  return group === undefined ? { event } : { event, group };
}

function mandateIn({ onBehalfOf: owner, toolset: toolsets }: WebhookConfig): { mandate?: Mandate } {
  return owner === undefined || toolsets === undefined ? {} : { mandate: { owner, toolsets } };
}
