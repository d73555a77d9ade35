import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createTestDatabase, query } from "@talaria/postgres";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type OutboundMessage,
  silentLog,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import { createStore, migrate } from "@talaria/store";
import { DatabaseWatch } from "./database-watch.ts";

const place = (account: string): Conversation => ({
  accountId: brandAs<AccountId>(account),
  platform: "loopback",
  conversationId: brandAs<ConversationId>("den"),
  kind: "direct",
});
const { signal } = new AbortController();

it("owners are told past the outbox that the database takes no messages, and by it, once, that it is over", async () => {
  const { url, drop } = await createTestDatabase();
  await migrate(url, silentLog);
  const secretKey = new Uint8Array(32).fill(7);
  const store = createStore({ url, log: silentLog, clock: systemClock, secretKey, maxConnections: 3 });
  let ms = 1_000_000;
  const sent: OutboundMessage[] = [];
  const delivered: string[] = [];
  let fails = false;
  const watch = new DatabaseWatch({
    store,
    sendNow: async (message) => {
      if (fails) throw new Error("not connected");
      sent.push(message);
    },
    deliver: (accountId) => delivered.push(accountId),
    clock: { now: () => ms, elapsed: () => ms },
    log: silentLog,
  });
  const look = async (afterMs = 0) => {
    ms += afterMs;
    await watch.look(signal);
  };
  const refuseWrites = () => query(url, "alter table talaria.total rename to total_away");
  const takeWrites = () => query(url, "alter table talaria.total_away rename to total");
  const said = async () => (await store.chats.history(place("main"), 20)).lines.map(({ markdown }) => markdown);
  try {
    await store.calls.noteOwnerPlace({ userId: brandAs<UserId>("boss"), conversation: place("main") });
    await look();
    await delay(600);
    await refuseWrites();
    await look(1_000);
    await look(15_000);
    assert.equal(sent.length, 0, "it may pass by itself");
    await look(15_000);
    await look(15_000);
    assert.deepEqual(
      sent.map(({ markdown, conversation }) => [markdown.split("\n")[0], conversation.accountId]),
      [
        [
          "People get no answers from me: my database takes no messages. `talaria status`, where I run, says why.",
          "main",
        ],
      ],
    );
    await takeWrites();
    await look(15_000);
    await look(15_000);
    assert.equal((await said()).length, 1);
    assert.match(
      (await said())[0] ?? "",
      /^It's over: my database takes messages again\. It took none for 60 seconds, since 00:16 UTC\./,
    );
    assert.deepEqual(delivered, ["main"]);

    // A second one within the hour whose message gets lost is told when it is over all the same.
    fails = true;
    await delay(600);
    await refuseWrites();
    for (const n of [0, 15_000, 15_000]) await look(n);
    await takeWrites();
    await look(1_000);
    assert.deepEqual([sent.length, (await said()).length], [1, 2]);
  } finally {
    await store.close();
    await drop();
  }
});
