import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type AccountPolicy,
  type Attachment,
  brandAs,
  type EventId,
  type MediaRef,
  type UserId,
} from "@talaria/protocol";
import { type EventFacts, editOf } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("the gate of a group", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  describe("an album", () => {
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const part = (text: string, album: string, more: EventFacts = {}) => {
      const event = desk.message({ text, attachments: [pictureOf(text)], ...inGroup, ...more });
      return { ...event, message: { ...event.message, albumId: album } };
    };

    it("waits for its other parts and wakes the session when they had their time", async () => {
      const gate = desk.gateWith({ policyOf: openGroups });
      await gate(part("@bot look", "a", { mentionsSelf: true }));
      await gate(part("", "a"));
      assert.deepEqual(desk.said, ["count recorded", "wake g1 in 1200", "count recorded", "wake g1 in 1200"]);
      assert.deepEqual(await desk.pending("g1"), []);
    });

    it("lets in parts without words once one of it was addressed, of this sender and this album only", async () => {
      const gate = desk.gateWith({ policyOf: openGroups });
      const outcomes = [
        await gate(part("early", "a")),
        await gate(part("@bot look", "a", { mentionsSelf: true })),
        await gate(part("late", "a")),
        await gate(part("of somebody else", "a", { from: "u2" })),
        await gate(part("other album", "b")),
      ];
      assert.deepEqual(outcomes, ["dropped", "recorded", "recorded", "dropped", "dropped"]);
    });
  });

  describe("talk among others in a group", () => {
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const heardWith = async (gate: Gate, facts: EventFacts = {}) => {
      await gate(desk.message({ text: "@bot and?", mentionsSelf: true, ...inGroup, ...facts }));
      const [pending] = (await desk.pending("g1")).slice(-1);
      return pending?.overheard?.map(({ sender, markdown }) => `${sender.userId}: ${markdown}`);
    };
    const group = (rules: Partial<AccountPolicy["groups"]> = {}) => {
      const policy = openGroups();
      return desk.gateWith({ policyOf: () => ({ ...policy, groups: { ...policy.groups, ...rules } }) });
    };

    it("is read with the next message to the agent, with who said it", async () => {
      const gate = group();
      assert.equal(await gate(desk.message({ text: "lunch at nine?", from: "u2", ...inGroup })), "dropped");
      await gate(desk.message({ text: "rather ten", from: "u3", ...inGroup }));
      assert.deepEqual(await heardWith(gate), ["u2: lunch at nine?", "u3: rather ten"]);
    });

    it("is cut, and left out where it is blank or from a bot", async () => {
      const gate = group();
      await gate(desk.message({ text: "x".repeat(999), ...inGroup }));
      await gate(desk.message({ text: " \u2800", ...inGroup }));
      await gate(desk.message({ text: "beep", role: "bot", ...inGroup }));
      await gate(desk.message({ text: "y".repeat(1_001), ...inGroup }));
      assert.deepEqual(
        (await heardWith(gate))?.map((text) => text.length),
        [4 + 999, 4 + 1_002],
      );
    });

    it("keeps which files came along, without fetching them, and what was quoted, both up to a limit", async () => {
      const gate = group();
      await gate(desk.message({ text: "", attachments: [pictureOf("alone")], ...inGroup }));
      const many = Array.from({ length: 7 }, (_, n) => pictureOf(`many-${n}`));
      await gate(desk.message({ text: "holiday", attachments: many, ...inGroup }));
      const quote = { userId: brandAs<UserId>("u9"), displayName: "Eve", markdown: "z".repeat(600), attachments: many };
      const said = desk.message({ text: "see this", ...inGroup });
      await gate({ ...said, message: { ...said.message, quote } });
      await gate(desk.message({ text: "@bot and?", mentionsSelf: true, ...inGroup }));
      const [pending] = (await desk.pending("g1")).slice(-1);
      const [alone, holiday, quoting] = pending?.overheard ?? [];
      assert.deepEqual(alone?.attachments, [pictureOf("alone")]);
      assert.deepEqual([holiday?.attachments?.length, holiday?.moreFiles], [5, 2]);
      assert.deepEqual([quoting?.quote?.displayName, quoting?.quote?.markdown.length], ["Eve", 502]);
      assert.equal(quoting?.quote?.attachments?.length, 2);
      assert.equal(quoting?.eventId, said.id);
    });

    it("is nobody's business in groups that are not allowed, and where nothing is to be kept", async () => {
      await desk.gate(desk.message({ text: "secret", ...inGroup }));
      await group({ ambient: { messages: 0, maxAgeMs: 1_000 } })(desk.message({ text: "secret", ...inGroup }));
      assert.equal(await heardWith(group()), undefined);
    });

    it("is edited and taken back", async () => {
      const gate = group();
      const first = desk.message({ text: "at nine", ...inGroup });
      const second = desk.message({ text: "the password is 1234", ...inGroup });
      await gate(first);
      await gate(second);
      await gate(editOf(first, "at ten"));
      const { message, ...rest } = second;
      await gate({ ...rest, id: brandAs<EventId>("gone"), type: "message.deleted", messageId: message.messageId });
      assert.deepEqual(await heardWith(gate), ["u1: at ten"]);
    });

    it("is forgotten by /new", async () => {
      const gate = group();
      await gate(desk.message({ text: "at nine", ...inGroup }));
      await gate(desk.message({ text: "/new", mentionsSelf: true, ...inGroup }));
      assert.equal(await heardWith(gate), undefined);
    });
  });

  it("answers another bot so many times in a row, tells it once, and goes on after a person", async () => {
    const policy = openGroups();
    const gate = desk.gateWith({
      policyOf: () => ({ ...policy, access: { ...policy.access, bots: "on", maxBotTurns: 2 } }),
    });
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const bot = () => gate(desk.message({ role: "bot", from: "b1", mentionsSelf: true, ...inGroup }));
    assert.deepEqual(
      [await bot(), await bot(), await bot(), await bot()],
      ["recorded", "recorded", "dropped", "dropped"],
    );
    assert.deepEqual(await desk.notices("g1"), [
      "I have answered other bots 2 times in a row here. I'll continue when a person writes to me.",
    ]);
    await gate(desk.message({ text: "among us", ...inGroup }));
    assert.equal(await bot(), "dropped");
    await gate(desk.message({ text: "go on", mentionsSelf: true, ...inGroup }));
    assert.equal(await bot(), "recorded");
  });
});

function pictureOf(name: string): Attachment {
  return { kind: "image", mimeType: "image/png", name, ref: brandAs<MediaRef>(`media:${name}`) };
}
