import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type MessageId } from "@talaria/protocol";
import pg from "pg";
import { conversationOf, createTestStore, newAccountLease, type TestStore, textOf } from "../test-store.ts";

describe("the message of a notice that another takes the place of", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("is no older than a week, and was sent as one message", async () => {
    const { outbox } = test.store;
    const lease = await newAccountLease(test.store);
    const conversation = conversationOf("group");
    await outbox.add([{ ...textOf("reached", "group"), subject: "limit 1" }]);
    const [row] = await outbox.due(lease, [], 10);
    assert.ok(row);
    const replaced = () => outbox.replaced({ id: row.id + 1, conversation, replaces: "limit 1" });
    assert.equal(await replaced(), undefined, "it is not sent yet");
    const part = (n: number) =>
      ({
        markdown: "",
        attachments: [],
        state: "sent",
        attempts: 1,
        unknown: 0,
        messageId: brandAs<MessageId>(`m${n}`),
      }) as const;
    await outbox.update(lease, { id: row.id, state: "sent", parts: [part(1), part(2)] });
    assert.equal(await replaced(), undefined, "it is two messages");
    await outbox.update(lease, { id: row.id, state: "sent", parts: [part(1)] });
    assert.equal(await replaced(), "m1");
    const client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    await client.query("update outbox set created_at = created_at - interval '7 days'").finally(() => client.end());
    assert.equal(await replaced(), undefined);
  });
});
