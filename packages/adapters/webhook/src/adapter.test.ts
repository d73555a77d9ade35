import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Acceptance, AcceptOptions, AdapterHost } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  GatewayError,
  type InboundEvent,
  isGatewayError,
} from "@talaria/protocol";
import { adapterDeps, createSimulatedClock, describeCapabilityTable, messageOf } from "@talaria/testkit";
import { createWebhookAdapter, type WebhookDeps } from "./adapter.ts";
import type { WebhookConfig } from "./config.ts";
import { hexOf, nowMs, routeWith, secretOf } from "./testing/routes.ts";

/** A host that knows what it has seen, as the store does. */
function makeHost() {
  const offered: { readonly event: InboundEvent; readonly options: AcceptOptions | undefined }[] = [];
  const known = new Set<string>();
  const leftOut: string[] = [];
  const state: { answer?: Acceptance; error?: Error } = {};
  const host: AdapterHost = {
    async accept(event, options) {
      offered.push({ event, options });
      if (state.error) throw state.error;
      const key = `${event.conversation.accountId}/${event.id}`;
      if (known.has(key)) return "duplicate";
      known.add(key);
      return state.answer ?? "recorded";
    },
    isAllowed: async () => true,
    received: async () => undefined,
    kindChanged: async () => undefined,
    added: async () => undefined,
    heard: async () => undefined,
    leftOut: (reason) => void leftOut.push(reason),
    report: () => undefined,
    receipt: async () => undefined,
  };
  return { host, offered, leftOut, state };
}

function makeAdapter(config: Partial<WebhookConfig> = {}, deps: Partial<WebhookDeps> = {}) {
  const facts = routeWith(config);
  return createWebhookAdapter(facts, {
    ...adapterDeps({ id: brandAs<AccountId>(`webhook-${facts.route}`), clock: createSimulatedClock(nowMs) }),
    replyOf: async () => undefined,
    ...deps,
  });
}

function post(adapter: ReturnType<typeof makeAdapter>, body: string, headers: Record<string, string> = {}) {
  const [route] = adapter.routes?.() ?? [];
  assert.ok(route);
  const signed = { "content-type": "application/json", "x-event-id": "d-1", "x-signature-256": hexOf(body) };
  return route.handle(new Request("http://gateway/", { method: "POST", body, headers: { ...signed, ...headers } }), {});
}

const body = '{"text":"hello"}';

describe("a webhook route", () => {
  it("hands over a signed system event and answers once it is recorded", async () => {
    const { host, offered } = makeHost();
    const adapter = makeAdapter({ prompt: "{{ body.text }} {{ headers.x-signature-256 }} {{ headers.x-event-id }}" });
    await adapter.start(host);
    const response = await post(adapter, body);
    const [{ event } = assert.fail("nothing was offered")] = offered;
    assert.equal(response.status, 202);
    assert.deepEqual(await response.json(), { eventId: event.id });
    assert.equal(messageOf(event).markdown, "hello (missing) d-1", "the agent never sees what proves a request");
    assert.deepEqual(event.sender, {
      userId: "ci",
      role: "system",
      displayName: "webhook ci",
      assurance: "signed",
    });
    assert.equal(event.conversation.conversationId, event.id, "each event is a conversation of its own");
  });

  it("says the same to everything unproven, and shows it to nobody", async () => {
    const { host, offered } = makeHost();
    const adapter = makeAdapter();
    await adapter.start(host);
    const attempts: Record<string, string>[] = [
      { "x-signature-256": "" },
      { "x-signature-256": hexOf("other") },
      { "x-signature-256": hexOf(body).toUpperCase() },
    ];
    const answers = [];
    for (const headers of attempts) {
      const response = await post(adapter, body, headers);
      answers.push([response.status, await response.text()]);
    }
    assert.equal(new Set(answers.map(String)).size, 1);
    assert.equal(answers[0]?.[0], 401);
    assert.equal(offered.length, 0);
  });

  it("knows a replay, also under another spelling of the signature", async () => {
    const { host } = makeHost();
    const adapter = makeAdapter();
    await adapter.start(host);
    const first = (await (await post(adapter, body)).json()) as { eventId: string };
    for (const headers of [{}, { "x-signature-256": `sha256=${hexOf(body)}` }]) {
      const replay = await post(adapter, body, headers);
      assert.equal(replay.status, 200);
      assert.deepEqual(await replay.json(), { duplicate: true, eventId: first.eventId });
    }
  });

  it("knows a replay under another id", async () => {
    const { host, offered } = makeHost();
    const [strict, lax] = [makeAdapter(), makeAdapter({ route: "lax", unsafe_repeated_body: true })];
    for (const adapter of [strict, lax]) await adapter.start(host);
    const statuses = [];
    for (const adapter of [strict, lax])
      for (const id of ["d-1", "d-2", "d-2"]) statuses.push((await post(adapter, body, { "x-event-id": id })).status);
    assert.deepEqual(statuses, [202, 200, 200, 202, 202, 200]);
    assert.equal(new Set(offered.map(({ event }) => event.id)).size, 3);
  });

  it("does not take another route's event for its own", async () => {
    const { host, offered } = makeHost();
    const adapters = [makeAdapter({ route: "one" }), makeAdapter({ route: "two" })];
    for (const adapter of adapters) {
      await adapter.start(host);
      assert.equal((await post(adapter, body)).status, 202);
    }
    assert.deepEqual(
      offered.map(({ event }) => event.conversation.accountId),
      ["webhook-one", "webhook-two"],
    );
  });

  it("is refused only after it is proven: broken, without id, too large", async () => {
    const { host, offered } = makeHost();
    const adapter = makeAdapter({ maxBodyBytes: 100 });
    await adapter.start(host);
    const isCode = (code: "invalid_request" | "too_large") => (error: unknown) => isGatewayError(error, code);
    await assert.rejects(post(adapter, "{"), isCode("invalid_request"));
    assert.equal((await post(adapter, "{", { "x-signature-256": "" })).status, 401);
    await assert.rejects(post(adapter, body, { "x-event-id": "" }), /x-event-id/);
    await assert.rejects(post(adapter, "x".repeat(101), { "x-signature-256": "" }), isCode("too_large"));
    assert.equal(offered.length, 0);
  });

  it("answers nothing when the host could not record", async () => {
    const { host, state } = makeHost();
    const adapter = makeAdapter();
    await adapter.start(host);
    state.error = new GatewayError("the store is away", { code: "unavailable" });
    await assert.rejects(post(adapter, body), /store is away/);
  });

  it("says when an event was dropped, and lets nobody wait for it", async () => {
    const { host, state } = makeHost();
    state.answer = "dropped";
    const [plain, waiting] = [makeAdapter(), makeAdapter({ route: "ask", answer: { kind: "wait" } })];
    for (const adapter of [plain, waiting]) await adapter.start(host);
    const dropped = await post(plain, body);
    assert.equal(dropped.status, 202);
    assert.equal(((await dropped.json()) as { dropped?: boolean }).dropped, true);
    assert.equal(((await (await post(waiting, body)).json()) as { reply: null }).reply, null);
  });

  it("answers what it does not want with success, counts it, and starts no turn", async () => {
    const { host, offered, leftOut } = makeHost();
    const config = { scheme: "github", events: ["workflow_run"], when: { "body.action": ["completed"] } } as const;
    const [plain, waiting] = [makeAdapter(config), makeAdapter({ ...config, route: "ask", answer: { kind: "wait" } })];
    for (const adapter of [plain, waiting]) await adapter.start(host);
    const send = (adapter: typeof plain, event: string, text: string) =>
      post(adapter, text, {
        "x-hub-signature-256": `sha256=${hexOf(text)}`,
        "x-github-event": event,
        "x-github-delivery": event,
      });
    const answers = [];
    for (const [event, text] of [
      ["ping", '{"zen":"Design for failure."}'],
      ["push", '{"action":"completed"}'],
      ["workflow_run", '{"action":"requested"}'],
    ] as const) {
      const response = await send(plain, event, text);
      answers.push([response.status, await response.json()]);
    }
    assert.deepEqual(answers, [
      [200, { dropped: true, reason: "ping" }],
      [200, { dropped: true, reason: "event" }],
      [200, { dropped: true, reason: "when" }],
    ]);
    assert.deepEqual(await (await send(waiting, "ping", "{}")).json(), { dropped: true, reason: "ping", reply: null });
    const unproven = await post(plain, "{}", { "x-github-event": "ping", "x-hub-signature-256": "sha256=00" });
    assert.equal(unproven.status, 401, "a ping has to be proven too");
    assert.deepEqual(
      [offered.length, leftOut],
      [0, ["webhook_ping", "webhook_event_not_wanted", "webhook_condition_not_met", "webhook_ping"]],
    );
    assert.equal((await send(plain, "workflow_run", '{"action":"completed"}')).status, 202);
  });

  it("names the place its answers go to", async () => {
    const { host, offered } = makeHost();
    const replyTo: Conversation = {
      accountId: brandAs<AccountId>("main"),
      platform: "telegram",
      conversationId: brandAs<ConversationId>("7"),
      kind: "direct",
    };
    const adapter = makeAdapter({}, { replyTo });
    await adapter.start(host);
    await post(adapter, body);
    assert.deepEqual(offered[0]?.options, { replyTo });
  });

  it("asks the host to read the events of a group together, and names the group", async () => {
    const { host, offered } = makeHost();
    const adapter = makeAdapter({ coalesceMs: 2_000 });
    await adapter.start(host);
    const answer = (await (await post(adapter, body)).json()) as { eventId: string; groupId: string };
    assert.match(answer.groupId, /^group\./);
    assert.deepEqual(offered[0]?.options, { defer: { key: answer.groupId, ms: 2_000 } });
    assert.equal(answer.eventId, offered[0]?.event.id);
  });

  it("lets a waiting caller go when it stops, and takes no more", async () => {
    const { host, offered } = makeHost();
    const adapter = makeAdapter({ answer: { kind: "wait" } });
    await adapter.start(host);
    const waiting = await post(adapter, body);
    const answer = waiting.json();
    await adapter.stop();
    assert.equal(((await answer) as { reply: null }).reply, null);
    await assert.rejects(post(adapter, body), (error) => isGatewayError(error, "unavailable"));
    assert.equal(offered.length, 1);
  });

  for (const weak of ["", "short", "whsec_", `whsec_${Buffer.alloc(15).toString("base64")}`])
    it(`does not start with the secret ${JSON.stringify(weak)}`, async () => {
      const { host } = makeHost();
      const adapter = makeAdapter({ secrets: [secretOf("a strong one, long enough"), secretOf(weak)] });
      await assert.rejects(adapter.start(host), (error) => isGatewayError(error, "invalid_request"));
      await assert.rejects(makeAdapter({ secrets: [] }).start(host), /needs secrets/);
    });
});

describeCapabilityTable("webhook", makeAdapter().capabilities);
