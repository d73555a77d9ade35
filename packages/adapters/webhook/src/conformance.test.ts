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

const eachEventIsAlone = "a webhook's events come from a system, and each is a conversation of its own";

describeAdapter("webhook", makeHarness, {
  skip: [
    { test: "reconnecting reports its states in order", reason: "requests come in; there is no connection to lose" },
    {
      test: "what people say while the connection is down comes when it is back, once and in order",
      reason: "there is no connection that could be down",
    },
    { test: "a message is attributed to a person with a stable id", reason: eachEventIsAlone },
    { test: "own messages are marked self, or not delivered", reason: `${eachEventIsAlone}; none of them is ours` },
    { test: "an edit keeps the message id", reason: "senders of webhooks take nothing back" },
    { test: "a message in a thread carries its thread, and answers go there", reason: "webhooks know no threads" },
    { test: "media opens and closes", reason: "a webhook carries no files" },
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
    conversation,
    deliver: async (text, { times = 1 } = {}) => sender.deliver(text, times),
    deliverOwn: async () => undefined,
    edit: async () => undefined,
    failNextSend: (failure) =>
      receiver.respondWith((response, call) => {
        receiver.respondWith(accept);
        if (failure.kind === "connection_lost") post(call);
        refuse(failure, response);
      }),
    posted: () => posted,
    acknowledged: () => sender.acknowledged(),
    dropConnection: async () => undefined,
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
