import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type SessionKey, type UserId } from "@talaria/protocol";
import { english } from "@talaria/words";
import type { AccountLease, OutboxText } from "../ports/outbox.ts";
import type { ShutPlaces } from "../ports/shut-places.ts";
import {
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  newAccountLease,
  type TestStore,
  textOf,
} from "../test-store.ts";
import { problemsOf, soundKeysOf } from "./problems.ts";

let made = 0;

/** A text whose every call ends so. */
async function settle(
  { store }: TestStore,
  lease: AccountLease,
  conversation: string,
  error?: string,
  more: Partial<OutboxText> = {},
) {
  made += 1;
  const text = textOf(`text-${made}`, conversation, more);
  await store.outbox.add([text]);
  const due = await store.outbox.due(lease, [], 20);
  const { id } = due.find(({ deliveryKey }) => deliveryKey === text.deliveryKey) ?? {};
  assert.ok(id);
  const end = error === undefined ? ({ state: "sent" } as const) : ({ state: "failed", error } as const);
  await store.outbox.update(lease, { id, parts: [], ...end });
}

/** As a gateway does: with what is known of places alone. */
async function look({ store }: TestStore) {
  const places = await store.operations.shutPlaces();
  const facts = { living: [], accounts: [], models: [], places, now: 0 };
  const problems = problemsOf(facts, english.problemPhrases).filter(({ kind }) => kind === "place");
  const sound = soundKeysOf(facts).map((key) => ({ key, markdown: `${key} is over` }));
  return await store.problems.note(
    problems.map((one) => ({ ...one, markdown: one.line })),
    sound,
  );
}

/** As `/sethome` does. */
async function setHome({ store }: TestStore, name: string): Promise<void> {
  await store.inbox.settle({
    event: eventOf(`home of ${name}`, name),
    outcome: "command",
    reason: "command:sethome",
    effect: {
      kind: "home",
      sessionKey: brandAs<SessionKey>(`acct/${name}`),
      userId: brandAs<UserId>(name),
      conversation: conversationOf(name),
    },
  });
}

async function toldAt({ store }: TestStore, name: string): Promise<readonly string[]> {
  const { lines } = await store.chats.history(conversationOf(name), 20);
  return lines.flatMap(({ from, markdown }) => (from === "agent" && !markdown.startsWith("text of") ? [markdown] : []));
}

const named = ({ shut }: ShutPlaces) => shut.map(({ conversationId, code, name }) => [conversationId, code, name]);

describe("a place in which nothing arrives", () => {
  it("is one whose newest text was refused for good, whatever else was given up", async () => {
    await using test = await createTestStore();
    const lease = await newAccountLease(test.store);
    await test.store.inbox.record(entryOf("hello", "eve"));
    await settle(test, lease, "eve", "forbidden", { kind: "reply", sessionKey: brandAs<SessionKey>("acct/eve") });
    await settle(test, lease, "team", "not_found");
    await settle(test, lease, "late", "unavailable");
    await settle(test, lease, "secret", "forbidden", { privateTo: brandAs<UserId>("eve") });
    await settle(test, lease, "asked", "not_found", { kind: "closing" });
    await settle(test, lease, "back", "forbidden");
    await settle(test, lease, "back");
    assert.deepEqual(named(await test.store.operations.shutPlaces()), [
      ["team", "not_found", undefined],
      ["eve", "forbidden", "Ada"],
    ]);
  });

  it("is told at the homes of owners once an hour for each account and way, and not in that place itself; that it is over, once", async () => {
    await using test = await createTestStore();
    await setHome(test, "boss");
    await setHome(test, "gone");
    const lease = await newAccountLease(test.store);
    await settle(test, lease, "gone", "forbidden");
    await settle(test, lease, "team", "forbidden");
    assert.deepEqual((await look(test)).begun, ["places:acct:forbidden"]);
    await settle(test, lease, "team", "forbidden");
    assert.deepEqual((await look(test)).begun, [], "the hour is not over");
    await settle(test, lease, "lost", "not_found");
    assert.deepEqual((await look(test)).begun, ["places:acct:not_found"]);
    assert.deepEqual(await toldAt(test, "gone"), []);
    const [first = "", second = ""] = await toldAt(test, "boss");
    assert.match(first, /^account acct \(loopback\) may not write to `team`, `gone`: /);
    assert.match(second, /finds no conversation `lost`: /);
    await settle(test, lease, "team");
    assert.deepEqual((await look(test)).over, ["place:acct/team"]);
    assert.deepEqual((await look(test)).over, []);
    assert.deepEqual((await toldAt(test, "boss")).slice(2), ["place:acct/team is over"]);
    assert.deepEqual(await test.store.operations.shutPlaces().then(({ opened }) => opened), []);
  });

  it("names the three of many that refused last, their names as code", () => {
    const at = brandAs<never>("2026-11-26T14:40:00.000Z");
    const shut = ["a", "b", "c", "d"].map((id) => ({
      accountId: brandAs<AccountId>("bot"),
      conversationId: brandAs<never>(id),
      platform: "telegram",
      name: "**Eve**`\u001b[2J",
      code: "forbidden" as const,
      at,
    }));
    const [problem] = problemsOf(
      { living: [], accounts: [], models: [], places: { shut, opened: [] }, now: 0 },
      english.problemPhrases,
    ).filter(({ kind }) => kind === "place");
    assert.match(
      problem?.line ?? "",
      /may not write to `\*\*Eve\*\* \[2J` \(`a`\), `\*\*Eve\*\* \[2J` \(`b`\), .* \(`c`\), 1 more: /,
    );
    assert.deepEqual([problem?.stopsAnswers, problem?.isNote, problem?.covers?.length], [false, true, 3]);
  });
});
