import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  type Instant,
  type ProcessId,
  type SessionKey,
} from "@talaria/protocol";
import type { AccountRow, Backlog, HeldTexts } from "@talaria/store";
import { withPlaces } from "./place-words.ts";
import {
  accountLine,
  backgroundLines,
  backlogLines,
  stuckLine,
  undeliveredLine,
  waitingPeopleLines,
} from "./status-lines.ts";

const now = Date.parse("2026-11-24T14:05:00.000Z");
const account: AccountRow = {
  accountId: brandAs<AccountId>("main"),
  platform: "telegram",
  holder: brandAs<ProcessId>("gateway-1"),
  fence: 1,
  connection: { status: "reconnecting", attempt: 3, code: "unavailable" },
  pendingDeliveries: 12,
};
const held: HeldTexts = {
  isOutage: true,
  code: "unavailable",
  reason: "ECONNREFUSED",
  since: brandAs<Instant>("2026-11-24T14:03:10.250Z"),
  triedAt: brandAs<Instant>("2026-11-24T14:04:48.000Z"),
  nextAt: brandAs<Instant>("2026-11-24T14:05:20.000Z"),
};

describe("an account's line in `talaria status`", () => {
  it("tells an outage: since when, why, how many wait, and when it is tried again", () => {
    assert.equal(
      accountLine({ ...account, held }, now),
      "main (telegram): reconnecting, unavailable, can't deliver since 2026-11-24T14:03:10Z (connection refused), 12 wait; last tried 12 s ago, next try in 20 s",
    );
  });

  it("calls it no outage where others get through", () => {
    const connection = { status: "connected" };
    const alone = { ...account, connection, pendingDeliveries: 1, held: { ...held, isOutage: false, reason: "502" } };
    assert.equal(
      accountLine(alone, now),
      "main (telegram): connected, 1 to deliver, tried in vain since 2026-11-24T14:03:10Z (answered 502); last tried 12 s ago, next try in 20 s",
    );
  });

  it("says that what is due is tried now", () => {
    assert.match(accountLine({ ...account, held: { ...held, nextAt: held.triedAt } }, now), /, next try now$/);
  });

  it("is short where nothing was tried in vain", () => {
    assert.equal(accountLine(account, now), "main (telegram): reconnecting, unavailable, 12 to deliver");
  });

  for (const [reason, words] of [
    ["CERT_HAS_EXPIRED", "its certificate is not trusted"],
    ["EODD", "no usable answer, EODD"],
    [undefined, "no usable answer"],
  ] as const)
    it(`says ${words} for ${reason}`, () => {
      const { reason: _, ...bare } = held;
      const line = accountLine({ ...account, held: reason === undefined ? bare : { ...bare, reason } }, now);
      assert.ok(line.includes(`(${words})`), line);
    });
});

const nothing: Backlog = {
  ...{ waitingEvents: 0, behindTurns: 0, deferredEvents: 0, oldestWaitingMs: 0, oldestDeliveryMs: 0 },
  ...{ runningTurns: 0, suspendedTurns: 0, pendingDeliveries: 0, failedDeliveries: 0, setAsideSessions: 0 },
  possibleDuplicates: 0,
};

describe("the line about messages in `talaria status`", () => {
  for (const [backlog, words] of [
    [{}, "waiting 0"],
    [{ waitingEvents: 1, oldestWaitingMs: 900 }, "waiting 1 (the oldest for 0 s)"],
    [
      { waitingEvents: 2, behindTurns: 2, oldestWaitingMs: 65_000 },
      "waiting 2 (the oldest for 1 min 5 s; 2 behind a turn)",
    ],
    [
      { waitingEvents: 4, behindTurns: 2, deferredEvents: 1, oldestWaitingMs: 720_000 },
      "waiting 4 (the oldest for 12 min; 2 behind a turn, 1 for files or further parts)",
    ],
  ] as const)
    it(`says ${words}`, () =>
      assert.equal(backlogLines({ ...nothing, ...backlog })[0], `messages    ${words}, running 0, to deliver 0`));
});

describe("the line about the background in `talaria status`", () => {
  it("counts what runs in all conversations, and is left out without any", () => {
    assert.deepEqual(backgroundLines([{ processes: 1 }, { processes: 2 }]), ["background  3 processes"]);
    assert.deepEqual(backgroundLines([{ processes: 1 }]), ["background  1 process"]);
    assert.deepEqual(backgroundLines([]), []);
  });
});

describe("lines about sessions in `talaria status`", () => {
  const sessionKey = brandAs<SessionKey>("main/42");
  const [conversationId, accountId] = [brandAs<ConversationId>("42"), brandAs<AccountId>("main")];
  const place = {
    conversation: { accountId, conversationId, platform: "telegram", kind: "direct" },
    person: { userId: "42", displayName: "Ada" },
  } as const;
  const rest = { waiting: 1, running: true, asking: false, turns: 1, waitedMs: 70_000 };
  const at = brandAs<Instant>("2026-11-24T14:03:10.000Z");

  it("name the conversation, and the key that logs and commands know", async () => {
    const named = async () => [{ sessionKey, ...place }];
    const unknown = brandAs<SessionKey>("main/7");
    const [known, other] = await withPlaces(
      [
        { sessionKey, ...rest },
        { sessionKey: unknown, ...rest },
      ],
      { named },
    );
    assert.ok(known && other);
    assert.equal(stuckLine(known), 'stuck for 70 s: "Ada" (42) on main, session main/42');
    assert.equal(stuckLine(other), "stuck for 70 s: session main/7");
    assert.equal(
      stuckLine({ ...known, setAsideAt: at }),
      `given up at ${at}: "Ada" (42) on main, session main/42 (to try again: talaria retry 'main/42')`,
    );
    assert.equal(
      undeliveredLine({ sessionKey, texts: 2, at, place }),
      `given up on the way out at ${at}: 2 texts for "Ada" (42) on main (to send again: talaria retry 'main/42')`,
    );
    assert.match(undeliveredLine({ sessionKey, texts: 1, at }), /: 1 text for session main\/42 \(/);
  });
});

describe("people at the door in `talaria status`", () => {
  const asked = (state: "waiting" | "approved", minutes: number) =>
    ({ state, createdAt: brandAs<Instant>(new Date(now - minutes * 60_000).toISOString()) }) as const;

  it("are counted with the command that lists them, and those about whom somebody has decided are not", () => {
    assert.deepEqual(waitingPeopleLines([asked("approved", 900), asked("waiting", 4), asked("waiting", 180)], now), [
      "people      2 wait to be let in, the first for 3 h: `talaria people` lists them, `talaria people add` and an id lets one in",
    ]);
    assert.match(waitingPeopleLines([asked("waiting", 4)], now).join(""), /^people {6}1 waits to be let in/);
    assert.deepEqual(waitingPeopleLines([asked("approved", 4)], now), []);
  });
});
