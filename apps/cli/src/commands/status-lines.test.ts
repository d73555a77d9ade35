import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type Instant, type ProcessId } from "@talaria/protocol";
import type { AccountRow, HeldTexts } from "@talaria/store";
import { accountLine } from "./status-lines.ts";

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
