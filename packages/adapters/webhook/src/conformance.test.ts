import type { ServerResponse } from "node:http";
import type { Adapter } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type MessageId,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import {
  type AdapterHarness,
  adapterDeps,
  describeAdapter,
  type PostedMessage,
  type SendFailure,
} from "@talaria/testkit";
import { createWebhookAdapter } from "./adapter.ts";
import { type ReceivedCall, startReceiver } from "./testing/receiver.ts";
import { hexOf, routeWith } from "./testing/routes.ts";

describeAdapter("webhook", makeHarness, {
  skip: [
    {
      test: "a message is attributed to a person with a stable id",
      reason: "a webhook's events come from a system, and each is a conversation of its own",
    },
  ],
});

async function makeHarness(): Promise<AdapterHarness> {
  const receiver = await startReceiver();
  const accountId = brandAs<AccountId>("webhook-ci");
  const adapter = createWebhookAdapter(routeWith({ answer: { kind: "callback", url: receiver.url } }), {
    ...adapterDeps({ id: accountId, clock: systemClock }),
    replyOf: async () => undefined,
  });
  const sender = startSender(adapter);
  const posted: PostedMessage[] = [];
  const post = ({ headers, body }: ReceivedCall) => {
    const { reply } = JSON.parse(body) as { reply: string };
    const messageId = brandAs<MessageId>(String(headers["webhook-id"]));
    // A receiver of Standard Webhooks knows a message that comes again by its id.
    if (!posted.some((earlier) => earlier.messageId === messageId)) posted.push({ messageId, text: reply });
  };
  const accept = (response: ServerResponse, call: ReceivedCall) => {
    post(call);
    response.writeHead(204).end();
  };
  receiver.respondWith(accept);
  const conversation: Conversation = {
    accountId,
    platform: "webhook",
    conversationId: brandAs<ConversationId>("event-1"),
    kind: "direct",
  };
  return {
    adapter,
    person: brandAs<UserId>("ci"),
    threads: false,
    conversation,
    deliver: async (text, { times = 1 } = {}) => sender.deliver(text, times),
    failNextSend: (failure) =>
      receiver.respondWith((response, call) => {
        receiver.respondWith(accept);
        if (failure.kind === "connection_lost") post(call);
        refuse(failure, response);
      }),
    posted: () => posted,
    acknowledged: () => sender.acknowledged(),
    async close() {
      await sender.stop();
      await receiver.stop();
    },
  };
}

/** A sender that posts one request after the other, and each until it is accepted, as often as `times` says. */
function startSender(adapter: Adapter) {
  const stopping = new AbortController();
  const acknowledged = new Set<string>();
  let sent = 0;
  let sending: Promise<void> = Promise.resolve();

  async function post(id: string, body: string): Promise<void> {
    const headers = { "content-type": "application/json", "x-event-id": id, "x-signature-256": hexOf(body) };
    for (let pauseMs = 0; !stopping.signal.aborted; pauseMs = 10) {
      await systemClock.sleep(pauseMs);
      const request = new Request("http://gateway/webhooks/ci", { method: "POST", body, headers });
      const response = await adapter
        .routes?.()[0]
        ?.handle(request, {})
        .catch(() => undefined);
      if (response?.ok) return void acknowledged.add(id);
    }
  }

  return {
    deliver(text: string, times: number): MessageId {
      sent += 1;
      const id = `delivery-${sent}`;
      for (let n = 0; n < times; n += 1) sending = sending.then(() => post(id, JSON.stringify({ text })));
      return brandAs<MessageId>(id);
    },
    acknowledged: () => acknowledged.size,
    async stop() {
      stopping.abort();
      await sending;
    },
  };
}

function refuse(failure: SendFailure, response: ServerResponse): void {
  switch (failure.kind) {
    case "rate_limited":
      response.writeHead(429, { "retry-after": String(failure.retryAfterMs / 1_000) }).end();
      break;
    case "unauthorized":
      response.writeHead(401).end();
      break;
    case "connection_lost":
      response.destroy();
      break;
    case "stalled":
      break;
    default:
      failure satisfies never;
  }
}
