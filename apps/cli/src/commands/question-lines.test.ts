import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  instantOf,
  type Role,
  type UserId,
} from "@talaria/protocol";
import type { WaitingQuestion } from "@talaria/store";
import { questionLines } from "./question-lines.ts";

const now = Date.parse("2026-11-24T14:15:00Z");
const accountId = brandAs<AccountId>("main");

function question(more: Partial<WaitingQuestion> & { role?: Role; places?: string; kind?: Conversation["kind"] } = {}) {
  const { role = "member", places = "c1", kind = "direct", ...rest } = more;
  const conversation = { accountId, platform: "loopback", conversationId: brandAs<ConversationId>("c1") } as const;
  const told = places
    .split(" ")
    .flatMap((place) =>
      place === ""
        ? []
        : [{ accountId, conversationId: brandAs<ConversationId>(place), isSent: !place.startsWith("-") }],
    );
  const sender = { userId: brandAs<UserId>("1"), role: "person", displayName: "Ada", assurance: "platform" } as const;
  return {
    ...({ id: "0badcafe", name: "deploy", waitsFor: "approval", approver: "owner", told } as const),
    ...{ askers: [{ sender, role }], route: { ...conversation, kind } },
    ...{ askedAt: instantOf(now - 720_000), expiresAt: instantOf(now + 3_600_000), ...rest },
  } as WaitingQuestion;
}

const lineOf = (one: WaitingQuestion) => questionLines({ questions: [one], all: 1, approvals: 0 }, now).join("\n");

describe("the lines of status about questions that wait", () => {
  for (const [name, one, expected] of [
    [
      "an owner has asked",
      question({ role: "owner" }),
      'questions   0badcafe: deploy with "Ada" (c1) on main, since 12 min; an owner decides, asked there',
    ],
    [
      "one is asked at home",
      question({ places: "c1 home" }),
      'questions   0badcafe: deploy with "Ada" (c1) on main, since 12 min; an owner decides, asked at 1 home',
    ],
    [
      "nobody who can decide has been asked",
      question(),
      'questions   0badcafe: deploy with "Ada" (c1) on main, since 12 min; an owner decides, and none was asked: they write /sethome or /approve 0badcafe to the agent in a direct conversation',
    ],
    [
      "owners may be in the group",
      question({ kind: "group", places: "c1 home other" }),
      "questions   0badcafe: deploy in c1 on main, since 12 min; an owner decides, asked there and at 2 homes",
    ],
    [
      "it is on its way",
      question({ kind: "group", places: "-c1" }),
      "questions   0badcafe: deploy in c1 on main, since 12 min; an owner decides, the question is not posted yet",
    ],
    [
      "a title is odd",
      question({ approver: "member", route: { ...question().route, kind: "group", title: "Ops\u001b[31m\n" } }),
      'questions   0badcafe: deploy in "Ops [31m" (c1) on main, since 12 min; a member decides, asked there',
    ],
    [
      "somebody has to choose",
      question({ name: "ask", waitsFor: "form" }),
      'questions   0badcafe: ask with "Ada" (c1) on main, since 12 min; whoever asked answers, asked there',
    ],
  ] as const)
    it(`say who has been told where ${name}`, () => {
      const { approver: _, ...form } = one;
      assert.equal(lineOf(one.waitsFor === "form" ? form : one), expected);
    });

  it("count those that are not shown, and are none where nothing waits", () => {
    const lines = questionLines({ questions: [question(), question()], all: 7, approvals: 6 }, now);
    assert.equal(lines.at(-1), "            and 5 more");
    assert.match(
      lines[0] ?? "",
      /^approvals {3}6 calls wait: who may decide writes \/approve or \/deny and the number/,
    );
    assert.deepEqual(questionLines({ questions: [], all: 0, approvals: 0 }, now), []);
  });
});
