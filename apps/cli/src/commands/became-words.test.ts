import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notices } from "@talaria/agent";
import type { Became, RecentEvent } from "@talaria/store";
import { becameWords } from "./became-words.ts";
import { recentLine } from "./why.ts";

const at = "2026-11-26T14:40:05.000Z";

function eventOf(became: object, more: object = {}): RecentEvent {
  return {
    ...{ accountId: "main", platform: "telegram", eventId: "e1", conversationId: "-1005", senderId: "42" },
    ...{ recordedAt: "2026-11-26T14:40:00.000Z", sessionKey: "main/-1005", became, ...more },
  } as unknown as RecentEvent;
}

const ended = (outcome: string, reason: string | undefined, reply: object) => ({
  ...{ state: "ended", outcome, at, reply },
  ...(reason === undefined ? {} : { reason }),
});
const sent = { state: "sent", at, isReportedFailed: false };

const table: readonly (readonly [object, string])[] = [
  [
    { state: "refused", reason: "group_not_allowed" },
    "refused: the group is not let in; `talaria groups allow main/-1005` lets it in",
  ],
  [
    { state: "refused", reason: "not_allowed" },
    'refused: they are on no list; add "telegram:user:42" to accounts.main.access.allow',
  ],
  [
    { state: "refused", reason: "pairing_code" },
    "refused: a stranger, who was given a code; `talaria people add 42` lets them in",
  ],
  [
    { state: "refused", reason: "pairing_waiting" },
    "refused: a stranger, who has a code and waits; `talaria people add 42` lets them in",
  ],
  [
    { state: "refused", reason: "pairing_code", later: "taken_up" },
    "refused at first, and taken up when they were let in: see below",
  ],
  [
    { state: "refused", reason: "pairing_waiting", later: "let_in" },
    "refused then, before they were let in: it has to be written again",
  ],
  [
    { state: "refused", reason: "group_not_allowed", later: "let_in" },
    "refused then, before the group was let in: it has to be written again",
  ],
  [{ state: "refused", reason: "something_new" }, "refused: something new"],
  [
    { state: "ignored", reason: "too_old" },
    "ignored: it was older than accounts.main.catchUp.maxAgeMs when it arrived; it has to be written again",
  ],
  [
    { state: "ignored", reason: "not_addressed" },
    "ignored: said among others and not to the agent: it has to be mentioned or answered",
  ],
  [{ state: "command", reason: "command:help" }, "a command, carried out at once (/help)"],
  [
    { state: "dropped", reason: "spending_limit" },
    "dropped: a limit of limits.spending is reached; `talaria status` shows which, `/lift` lifts it",
  ],
  [
    { state: "dropped", reason: "set_aside" },
    "dropped: given up, since workers kept failing with it; `talaria retry main/-1005` tries again",
  ],
  [{ state: "waiting", for: "retry" }, "waits in a session that was given up; `talaria retry main/-1005` tries again"],
  [{ state: "waiting", for: "worker" }, "waits for a worker; `talaria status` says whether one runs"],
  [{ state: "waiting", for: "turn" }, "waits behind the answer that is being written in its conversation"],
  [{ state: "waiting", for: "parts" }, "waits for its files or further parts"],
  [
    { state: "running", isAsking: true, since: at },
    "waits for somebody's decision: `talaria status` lists the question",
  ],
  [{ state: "running", isAsking: false, since: at }, "is being answered since 2026-11-26T14:40:05Z"],
  [ended("completed", undefined, sent), "answered after 5 s, delivered at 2026-11-26T14:40:05Z"],
  [
    ended("completed", undefined, { ...sent, isReportedFailed: true }),
    "answered after 5 s, sent, and the platform reported later that it did not arrive",
  ],
  [
    ended("completed", undefined, { state: "pending", code: "unavailable", reason: "ECONNREFUSED" }),
    "answered after 5 s, not delivered yet (connection refused): it is tried again by itself",
  ],
  [
    ended("completed", undefined, { state: "pending", code: "unauthorized" }),
    "answered after 5 s, not delivered yet: telegram refuses the token or key of account main; `talaria status` says what mends it, and it is sent then",
  ],
  [
    ended("completed", undefined, { state: "failed", error: "forbidden" }),
    "answered after 5 s, not delivered, given up (forbidden); `talaria retry main/-1005` sends it again",
  ],
  [
    ended("completed", undefined, { state: "failed", error: "not_allowed" }),
    "answered after 5 s, not delivered, since they may not talk to the agent any more",
  ],
  [ended("completed", undefined, { state: "none" }), "answered after 5 s, without a text"],
  [
    ended("failed", "auth", { state: "none", toldAt: at }),
    "failed after 5 s: the model's provider refused the key or login, `talaria status` names the model and what mends it; they were not told: this group was told at 2026-11-26T14:40:05Z",
  ],
  [ended("failed", "refusal", { state: "none" }), "failed after 5 s: the model declined to answer; they were not told"],
  [{ state: "command", reason: "mistyped" }, "close to the name of a command: they were asked which they meant"],
  [
    ended("failed", "auth", sent),
    "failed after 5 s: the model's provider refused the key or login, `talaria status` names the model and what mends it; they were told at 2026-11-26T14:40:05Z",
  ],
  [ended("aborted", "stopped", { state: "none" }), "stopped after 5 s (stopped)"],
];

describe("what became of a message, in words", () => {
  for (const [became, words] of table) it(words, () => assert.equal(becameWords(eventOf(became)), words));

  it("says that a model's trouble is over, and names /retry for the last message of whoever may give it", () => {
    const over = (more: object, isLast = true) =>
      becameWords(eventOf({ ...ended("failed", "auth", sent), ...(isLast && { isLast }) }, more), {
        answeredAt: "2026-11-26T14:41:00.000Z",
      });
    const [direct, group] = [{ kind: "direct" }, { kind: "group" }];
    const head = "failed after 5 s: the model's provider refused the key or login, which is over by now";
    const told = "; they were told at 2026-11-26T14:40:05Z";
    for (const more of [
      { ...direct, role: "guest" },
      { ...group, role: "member" },
      { ...group, role: "owner" },
    ]) {
      assert.equal(over(more), `${head}: \`/retry\`, written there, answers it${told}`);
      assert.equal(over(more, false), `${head}${told}`);
    }
    for (const more of [
      { ...group, role: "guest" },
      { ...direct, role: "unverified" },
    ])
      assert.equal(over(more), `${head}: it has to be written again${told}`);
  });

  it("takes an answer from before for no sign that the trouble is over", () =>
    assert.match(
      becameWords(eventOf(ended("failed", "auth", sent)), { answeredAt: "2026-11-26T14:40:00.000Z" }),
      /`talaria status` names/,
    ));

  it("advises nothing for what is over: who is let in by now, and a limit that is not reached any more", () => {
    const [refused, press] = [eventOf({ state: "refused", reason: "not_allowed" }), { isPress: true } as const];
    assert.equal(
      becameWords(refused, { isIn: true }),
      "refused then, before they were let in: it has to be written again",
    );
    assert.equal(
      becameWords({ ...refused, ...press }, { isIn: true }),
      "refused then, a press of a button before they were let in",
    );
    assert.match(becameWords({ ...refused, ...press }), /^refused, a press of a button: they are on no list; add /);
    assert.equal(
      becameWords(eventOf({ state: "dropped", reason: "spending_limit" }), { isNoLimitReached: true }),
      "dropped: a limit of limits.spending was reached then, and none is any more; it has to be written again",
    );
  });

  it("has words of its own for every way in which a turn fails", () => {
    for (const code of Object.keys(notices))
      assert.doesNotMatch(becameWords(eventOf(ended("failed", code, sent))), /it ended with/, code);
  });

  it("hands nothing to the terminal or the shell that strangers chose", () => {
    const more = {
      senderName: "\u001b[31mAda",
      title: "Team\u0007",
      conversationId: "!x';reboot\u001b",
      eventId: "e\u001b1",
    };
    const line = recentLine(
      eventOf({ state: "refused", reason: "group_not_allowed" }, { ...more, kind: "group" }),
      true,
    );
    assert.doesNotMatch(line, /\p{C}/u);
    assert.ok(line.includes(String.raw`talaria groups allow 'main/!x'\'';reboot '`), line);
    assert.match(line, /^2026-11-26T14:40:00Z {2}e 1 {2}"\[31mAda" \(42\) in "Team" \(/);
  });

  it("names nobody twice in a direct conversation", () => {
    const became: Became = { state: "waiting", for: "worker" };
    const direct = eventOf(became, { kind: "direct", conversationId: "42", senderName: "Ada" });
    assert.match(recentLine(direct), /^2026-11-26T14:40:00Z {2}"Ada" \(42\) on main: waits for a worker/);
  });
});
