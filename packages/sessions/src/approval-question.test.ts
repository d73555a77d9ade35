import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Asker,
  brandAs,
  type Conversation,
  instantOf,
  type Role,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { addLanguage, english } from "@talaria/words";
import { type Approvable, approvalQuestions, homeQuestions } from "./approval-question.ts";

const now = Date.UTC(2026, 0, 1);
const { conversation: direct, sender } = messageFrom();
const group: Conversation = { ...direct, kind: "group", title: "Ops" };
const by = (role: Role): Approvable["askers"] => [{ sender, role } satisfies Asker];

function asked(role: Role, route: Conversation, isAskedElsewhere: boolean, approver: Role = "owner"): string {
  const call = { id: "0badcafe", callId: "c1", shown: "Deploy?", approver, askers: by(role) };
  const place = { turnId: brandAs<TurnId>("t1"), sessionKey: brandAs<SessionKey>("s1"), route } as const;
  const expiresAt = instantOf(now + 3_600_000);
  const [text] = approvalQuestions([{ ...call, expiresAt }], place, now, isAskedElsewhere, undefined);
  return text?.markdown ?? "";
}

const byButton =
  /An owner can decide within 60 minutes: tap a button, or write `\/approve 0badcafe` or `\/deny 0badcafe`\.$/;

describe("a question for an approval says who can decide, where", () => {
  for (const [name, text, expected] of [
    ["an owner has asked", asked("owner", direct, false), byButton],
    ["an owner has asked in a group", asked("owner", group, false), byButton],
    ["a member may decide and has asked", asked("member", direct, false, "member"), /A member can decide within/],
    ["owners may be in the group, and one is asked at home", asked("member", group, true), byButton],
    [
      "owners may be in the group, and none has a home",
      asked("member", group, false),
      /tap a button.*No owner is asked anywhere else: one who writes `\/sethome` to me in a direct conversation is\.$/,
    ],
    [
      "nobody in the conversation can, and an owner is asked at home",
      asked("member", direct, true),
      /Only an owner can decide this, within 60 minutes\. I've asked where owners want to be asked\. `\/deny 0badcafe` takes it back\.$/,
    ],
    [
      "nobody in the conversation can, and no owner has a home",
      asked("member", direct, false),
      /I could ask nobody\. An owner has to write to me in a direct conversation: `\/approve 0badcafe` for this, or `\/sethome` for all that waits\. `\/deny 0badcafe` takes it back\.$/,
    ],
    [
      "nobody in the conversation can, and no home is asked what members decide",
      asked("guest", direct, false, "member"),
      /Only a member can decide this.*I could ask nobody\. An owner has to write .*: `\/approve 0badcafe` for this\. `\/deny 0badcafe` takes it back\.$/,
    ],
  ] as const)
    it(name, () => assert.match(text.split("\n").at(-1) ?? "", expected));

  for (const [who, role, route, isAskedElsewhere, labels] of [
    ["who may decide", "owner", direct, false, ["Approve", "Deny", "For this conversation"]],
    [
      "others in a group, where owners may read it",
      "member",
      group,
      false,
      ["Approve", "Deny", "For this conversation"],
    ],
    ["a member in private, while an owner is asked", "member", direct, true, ["Take it back"]],
    ["a member in private, while nobody is asked", "member", direct, false, ["Take it back"]],
  ] as const)
    it(`with no button that ${who} can't press`, () => {
      const offer = { scopes: ["session"], covers: "deploy", terms: {} } as const;
      const call = { callId: "c1", shown: "Deploy?", askers: by(role), offer, expiresAt: instantOf(now + 60_000) };
      const place = { turnId: brandAs<TurnId>("t1"), sessionKey: brandAs<SessionKey>("s1"), route } as const;
      const choicesOf = (ids: readonly string[]) =>
        approvalQuestions(
          ids.map((id) => ({ id, ...call })),
          place,
          now,
          isAskedElsewhere,
          { maxTextLength: 9_000 },
        )
          .flatMap(({ choices = [] }) => choices)
          .map(({ id, label }) => [id, label]);
      assert.deepEqual(
        choicesOf(["0badcafe"]).map(([, label]) => label),
        labels,
      );
      const isAsker = labels.length === 1;
      assert.equal(
        choicesOf(["0badcafe", "0badcaff"]).every(([id]) => id?.startsWith("deny-")),
        isAsker,
      );
      if (isAsker)
        assert.deepEqual(choicesOf(["0badcafe", "0badcaff"]), [
          ["deny-0badcafe", "Take back 1"],
          ["deny-0badcaff", "Take back 2"],
        ]);
    });

  it("at an owner's home, whoever has asked, with what else can be agreed to", () => {
    const offer = { scopes: ["session"], covers: "deploy", terms: {} } as const;
    const call = { id: "0badcafe", callId: "c1", shown: "Deploy?", askers: by("member"), offer };
    const place = { turnId: brandAs<TurnId>("t1"), sessionKey: brandAs<SessionKey>("s1"), route: group } as const;
    const expiresAt = instantOf(now + 3_600_000);
    const [text] = homeQuestions([{ ...call, expiresAt }], place, now, direct, undefined);
    assert.match(text?.markdown ?? "", /^Asked by `.*` in `Ops` on `/);
    assert.match(
      text?.markdown ?? "",
      /An owner can decide .*\.\n\nLater calls of deploy: For this conversation \(`\/approve 0badcafe session`\) covers them until the conversation begins anew\.$/,
    );
  });

  it("at an owner's home, in their language, also of what else can be agreed to", () => {
    const { approvalNotices, callPhrases } = english;
    addLanguage("de", { approvalNotices, callPhrases: { ...callPhrases, anyPort: (host) => `${host} (alle Ports)` } });
    const covered = { tool: "terminal", things: [{ name: "a.org", isHost: true }] };
    const offer = { scopes: ["session"], covers: "terminal: `a.org` (https and http)", terms: { covered } } as const;
    const expiresAt = instantOf(now + 3_600_000);
    const call = { id: "0badcafe", callId: "c1", shown: "Deploy?", askers: by("member"), offer, expiresAt };
    const place = { turnId: brandAs<TurnId>("t1"), sessionKey: brandAs<SessionKey>("s1"), route: group } as const;
    const said = (language: string) =>
      homeQuestions([call], place, now, direct, undefined, language)[0]?.markdown ?? "";
    assert.match(said("de-AT"), /Later calls of terminal: `a\.org` \(alle Ports\): /);
    assert.match(said("fr"), /Later calls of terminal: `a\.org` \(https and http\): /);
  });

  describe("and what it is about", () => {
    const body = "z".repeat(2_500);
    const words = {
      headline: ["send this message to ", { name: "telegram:user:42" }],
      parts: [{ kind: "text", text: body }],
      why: "Somebody has to agree.",
    } as const;
    const place = { turnId: brandAs<TurnId>("t1"), sessionKey: brandAs<SessionKey>("s1"), route: direct } as const;
    const call = { callId: "c1", shown: "as others read it", askers: by("owner"), expiresAt: instantOf(now + 60_000) };
    const textOf = (about: Partial<Approvable>, maxTextLength?: number) =>
      approvalQuestions(
        [{ id: "0badcafe", ...call, ...about }],
        place,
        now,
        false,
        maxTextLength ? { maxTextLength } : {},
      )
        .map(({ markdown }) => markdown)
        .join();

    it("first, in words", () => {
      const text = textOf({ words });
      assert.match(
        text,
        /^\*\*May I send this message to `telegram:user:42`\?\*\*\n\n> z{2500}\n\nSomebody has to agree\./,
      );
      assert.doesNotMatch(text, /approvals|as others read it/);
    });

    it("cut to what one message holds, with a sign, and how to see the rest", () => {
      const text = textOf({ words }, 2_000);
      assert.ok(text.length < 2_000, `${text.length}`);
      assert.match(
        text,
        /z\\\n> &#91;[\d\\,]+ characters are not shown&#93;\\\n> z[\s\S]*`\/approvals 0badcafe`: what is cut above\.\n\nAn owner can decide/,
      );
    });

    it("as an earlier release has written it", () => {
      assert.match(textOf({}), /^\*\*May I do this\?\*\*\n\nas others read it\n\nAn owner can decide/);
    });
  });
});
