import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { brandAs, type SessionKey } from "@talaria/protocol";
import type { OutboxText } from "../ports/outbox.ts";
import { conversationOf, createTestStore, newAccountLease, type TestStore, textOf } from "../test-store.ts";

let test: TestStore;

before(async () => {
  test = await createTestStore();
});
after(() => test[Symbol.asyncDispose]());

const sessionKey = brandAs<SessionKey>("acct/a");

it("answers that were given up are listed by session, and due again on demand with what is missing of them", async () => {
  const { outbox, operations } = test.store;
  const lease = await newAccountLease(test.store);
  const choices = [{ id: "yes", label: "Yes" }];
  const texts: readonly (OutboxText & { error: string })[] = [
    { ...textOf("lost", "a"), kind: "reply", sessionKey, error: "unknown_outcome" },
    { ...textOf("asked", "a"), kind: "notice", choices, sessionKey, error: "unavailable" },
    { ...textOf("notice", "a"), kind: "notice", sessionKey, error: "unavailable" },
    { ...textOf("secret", "a"), kind: "reply", sessionKey, error: "not_allowed" },
    { ...textOf("called", "a"), kind: "reply", sessionKey, error: "unavailable" },
  ];
  const guest = (key: string) => (key === "called" ? ({ guest: true } as const) : {});
  await outbox.add(
    texts.map(({ error: _, ...text }) => ({
      ...text,
      conversation: { ...conversationOf("a"), ...guest(text.deliveryKey) },
    })),
  );
  const part = { attachments: [], attempts: 3 };
  for (const [n, { id }] of (await outbox.due(lease, [], 10)).entries()) {
    const error = texts[n]?.error ?? "";
    const failed = { state: "failed", unknown: error === "unavailable" ? 0 : 3, error } as const;
    await outbox.update(lease, {
      id,
      state: "failed",
      error,
      parts: [
        { ...part, markdown: "first", state: "sent", unknown: 0 },
        { ...part, markdown: "second", ...failed },
      ],
    });
  }
  const [row, ...others] = await operations.undelivered(10);
  assert.deepEqual([row?.sessionKey, row?.texts, others.length], [sessionKey, 2, 0]);

  assert.equal(await operations.retryUndelivered(sessionKey), 2);
  const due = await outbox.due(lease, [], 10);
  assert.deepEqual(
    due.map(({ deliveryKey }) => deliveryKey),
    [texts[0]?.deliveryKey, texts[1]?.deliveryKey],
  );
  assert.deepEqual(
    due[0]?.parts?.map(({ state, attempts, unknown, error }) => [state, attempts, unknown, error]),
    [
      ["sent", 3, 0, undefined],
      ["sending", 0, 1, undefined],
    ],
  );
  assert.equal(due[1]?.parts?.[1]?.state, "pending", "it was surely not sent");
  assert.deepEqual(await operations.undelivered(10), []);
  assert.equal(await operations.retryUndelivered(sessionKey), 0);
});
