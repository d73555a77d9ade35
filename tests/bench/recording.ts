import { setTimeout } from "node:timers/promises";
import { type SessionKey, sessionKeyOf } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { type EmbeddedStore, startEmbeddedStore } from "./embedded-store.ts";
import type { Figure } from "./main.ts";
import { describeMs } from "./statistics.ts";

const sessions = 1_000;
const callers = 128;
const records = 8_000;
/** How long somebody else holds the row of one session. */
const lockedMs = 3_000;

/** How fast one gateway records, and what it costs the others when the row of one session is locked. */
export async function recording(): Promise<readonly Figure[]> {
  await using embedded = await startEmbeddedStore(5);
  const { store } = embedded;
  await recordMany(store, sessions, "warm");
  const rates: number[] = [];
  for (const round of ["one", "two", "three"]) rates.push(await recordMany(store, records, round));
  const waits = await besideLockedSession(embedded);
  return [
    {
      measure: `events recorded, ${callers} callers, ${sessions} sessions`,
      reach: "no slower than before",
      value: rates.map((rate) => `${rate.toFixed(0)}/s`).join(", "),
    },
    {
      measure: `recording in other sessions while one session's row is locked for ${lockedMs / 1000} s`,
      reach: "max 500 ms",
      value: describeMs(waits),
    },
  ];
}

async function recordMany(store: Store, count: number, name: string): Promise<number> {
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < count) {
        const n = next;
        next += 1;
        await record(store, n % sessions, `${name} ${n}`);
      }
    }),
  );
  return count / ((performance.now() - begun) / 1000);
}

async function besideLockedSession({ store, client }: EmbeddedStore): Promise<readonly number[]> {
  await client.query("begin");
  await client.query("select from session where session_key = $1 for update", [keyOf(0)]);
  const unlocked = setTimeout(lockedMs).then(() => client.query("rollback"));
  const locked = record(store, 0, "locked");
  const waits: number[] = [];
  const end = performance.now() + lockedMs;
  for (let n = 1; performance.now() < end; n += 1) {
    const begun = performance.now();
    await record(store, (n % (sessions - 1)) + 1, `beside ${n}`);
    waits.push(performance.now() - begun);
  }
  await Promise.all([unlocked, locked]);
  return waits;
}

function keyOf(session: number): SessionKey {
  const { conversation, sender } = messageOf(session, "");
  return sessionKeyOf(conversation, sender, "conversation");
}

async function record(store: Store, session: number, text: string): Promise<void> {
  const event = messageOf(session, text);
  await store.inbox.record({
    sessionKey: keyOf(session),
    event,
    route: event.conversation,
    mode: "queue",
    role: "member",
  });
}

function messageOf(session: number, text: string) {
  return messageFrom({ account: `bench-${session}`, text });
}
