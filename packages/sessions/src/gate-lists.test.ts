import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  brandAs,
  type GrantOffer,
  instantOf,
  type MessageId,
  type ProcessId,
  type Role,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import type { Ask, OutboxRow } from "@talaria/store";
import { approvalQuestions, homeQuestions, type QuestionRoom } from "./approval-question.ts";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const room: QuestionRoom = { maxTextLength: 4_000, choices: { max: 100 } };

describe("the gate and a message that lists several calls", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let count = 0;
  beforeEach(() => {
    desk = test.newDesk();
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    gate = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
  });

  const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
  const boss = { from: "boss", ...inGroup };

  interface Asked {
    readonly ids: readonly string[];
    /** The message in the group that lists them, sent. */
    readonly row: OutboxRow;
    readonly messageId: MessageId;
  }

  /** A turn in the group asks about so many calls in one message, which has arrived. */
  async function listed(calls: number, { approver = "owner", offer }: { approver?: Role; offer?: GrantOffer } = {}) {
    await desk.runTurn("deploy", { from: "u1", ...inGroup }, gate);
    return await asked(calls, { approver, ...(offer && { offer }) });
  }

  async function asked(calls: number, { approver = "owner", offer }: { approver?: Role; offer?: GrantOffer } = {}) {
    const turnId = brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
    const asks: Ask[] = Array.from({ length: calls }, () => {
      count += 1;
      const id = `cc${count.toString(16).padStart(6, "0")}`;
      const call = { id, callId: `c${count}`, name: "deploy", arguments: "{}", waitsFor: "approval" } as const;
      const shown = `Deploy ${id}?`;
      return {
        ...call,
        approver,
        shown,
        askers: [],
        expiresAt: instantOf(Date.now() + 3_600_000),
        ...(offer && { offer }),
      };
    });
    const route = desk.message(inGroup).conversation;
    const place = { turnId, sessionKey: desk.lease.sessionKey, route };
    const texts = approvalQuestions(asks, place, Date.now(), false, room);
    const home = homeQuestions(asks, place, Date.now(), desk.message({ conversation: "b1" }).conversation, room);
    await test.store.turns.append(
      desk.lease,
      turnId,
      [],
      [
        ...asks.slice(1).map((ask) => ({ ask })),
        ...asks.slice(0, 1).map((ask) => ({ ask, texts: [...texts, ...home] })),
      ],
    );
    return { ids: asks.map(({ id }) => id), ...(await sent(asks[0]?.callId ?? "")) } satisfies Asked;
  }

  async function sent(callId: string): Promise<{ readonly row: OutboxRow; readonly messageId: MessageId }> {
    const lease = await test.store.accounts.acquire(desk.accountId, "loopback", brandAs<ProcessId>("gateway"), 60_000);
    const row = (await desk.outbox("g1")).find(({ deliveryKey }) => deliveryKey.endsWith(`:${callId}`));
    assert.ok(lease && row);
    const { id, markdown, choices = [] } = row;
    const messageId = brandAs<MessageId>(`m-${id}`);
    const part = { markdown, attachments: [], choices, messageId, state: "sent", attempts: 1, unknown: 0 } as const;
    await test.store.outbox.update(lease, { id, state: "sent", parts: [part] });
    return { row, messageId };
  }

  const button = ({ row }: Asked, label: string) => {
    const found = row.choices?.find((choice) => choice.label === label);
    assert.ok(found, `a button ${label}`);
    return found.id;
  };
  const settlements = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await test.store.calls.find(id))?.settlement));
  const last = async () => (await desk.notices("g1")).findLast((text) => text !== "") ?? "";
  const closings = async () => (await desk.outbox("g1")).filter(({ kind }) => kind === "closing").length;

  it("is one message with a row of buttons for each, numbered, and one for all", async () => {
    const offer = { scopes: ["session", "always"], covers: "deploy", terms: {} } as const;
    const { row, ids } = await listed(3, { offer });
    assert.match(
      row.markdown,
      /^\*\*May I do these 3 things\?\*\*\n\n\*\*1\.\*\* Deploy cc[\s\S]*\n\n\*\*3\.\*\* Deploy cc/,
    );
    for (const id of ids) assert.ok(row.markdown.includes(`\`${id}\``));
    assert.deepEqual(
      Object.values(Object.groupBy(row.choices ?? [], (choice) => choice.row ?? 0)).map((some = []) =>
        some.map(({ label }) => label),
      ),
      [
        ...[1, 2, 3].map((n) => [`Approve ${n}`, `Deny ${n}`, `${n} for this conversation`, `${n} always`]),
        ["Approve all", "Deny all"],
      ],
    );
    assert.ok(row.choices?.every(({ id }) => id.length <= 40));
  });

  it("decides each by its own buttons, and all that still waits by the one for all, in one decision", async () => {
    const list = await listed(4);
    await gate(desk.pressed(button(list, "Deny 2"), boss));
    assert.deepEqual(await settlements(list.ids), [undefined, "denied", undefined, undefined]);
    await gate(desk.pressed(button(list, "Approve all"), boss));
    assert.deepEqual(await settlements(list.ids), ["approved", "denied", "approved", "approved"]);
    assert.equal(await last(), "Approved all 3.");
    await test.store.turns.handOver(desk.lease);
    const pending = (await desk.pending("g1")).filter(({ event }) => event.type === "call.settled");
    assert.equal(pending.length, 4, "each is an event of its own");
    assert.equal(await closings(), 4);
    await gate(desk.pressed(button(list, "Deny all"), boss));
    assert.deepEqual(await settlements(list.ids), ["approved", "denied", "approved", "approved"]);
    assert.equal(await last(), "That's already decided, or it has expired.");
  });

  it("of a single one is decided by words that answer it, and by nothing else", async () => {
    for (const [text, settlement] of [
      ["yes", "approved"],
      ["Approve.", "approved"],
      ["1", "approved"],
      ["no", "denied"],
      ["2", "denied"],
    ] as const) {
      const one = await (text === "yes" ? listed(1) : asked(1));
      for (const words of ["yes please", "approve no", "3", "yes, and delete it", "all"])
        await gate(desk.message({ text: words, replyTo: one.messageId, ...boss }));
      await gate(desk.message({ text, ...boss }));
      await gate(desk.message({ text, replyTo: one.messageId, ...boss, from: "u1" }));
      assert.deepEqual(await settlements(one.ids), [undefined], text);
      await gate(desk.message({ text, replyTo: one.messageId, ...boss }));
      assert.deepEqual(await settlements(one.ids), [settlement], text);
    }
  });

  it("of a single one is denied with a reason, which the model reads as the person's words", async () => {
    const one = await listed(1);
    await gate(desk.message({ ...boss, text: "no, because it costs\ntoo much" }));
    assert.deepEqual(await settlements(one.ids), [undefined]);
    await gate(
      desk.message({
        ...boss,
        text: "no, because it costs\ntoo much\n\nKind regards\nAda Lovelace\n\n[earlier messages left out]",
        replyTo: one.messageId,
      }),
    );
    const call = await test.store.calls.find(one.ids[0] ?? "");
    assert.deepEqual([call?.settlement, call?.content], ["denied", "it costs too much"]);
  });

  it("never means what was asked later, nor a list that begins alike", async () => {
    const old = await listed(2);
    await gate(desk.pressed(button(old, "Approve 1"), boss));
    const later = await asked(3);
    await gate(desk.pressed(button(old, "Approve all"), boss));
    assert.deepEqual(await settlements([...old.ids, ...later.ids]), [
      "approved",
      "approved",
      ...Array(3).fill(undefined),
    ]);
    await gate(desk.pressed(button(old, "Deny all"), boss));
    const forged = button(later, "Approve all").replace(/-[0-9a-f]{12}$/, "-000000000000");
    await gate(desk.pressed(forged, boss));
    assert.deepEqual(await settlements(later.ids), [undefined, undefined, undefined]);
    assert.equal(await last(), "Nothing here waits for your approval.");
  });

  it("lets nobody else decide, neither each nor all", async () => {
    const list = await listed(2);
    for (const label of ["Approve 1", "Approve all", "Deny all"])
      assert.equal(await gate(desk.pressed(button(list, label), { from: "u1", ...inGroup })), "dropped");
    await gate(desk.message({ from: "u1", text: "approve all", replyTo: list.messageId, ...inGroup }));
    const elsewhere = { from: "u1", conversation: "g2", kind: "group", mentionsSelf: true } as const;
    await gate(desk.pressed(button(list, "Approve all"), elsewhere));
    assert.deepEqual(await settlements(list.ids), [undefined, undefined]);
    await gate(desk.pressed(button(list, "Approve all"), { from: "boss", conversation: "b1" }));
    assert.deepEqual(await settlements(list.ids), ["approved", "approved"], "an owner may, at home");
  });

  for (const [words, expected] of [
    ["approve 2", [undefined, "approved", undefined]],
    ["Yes 3.", [undefined, undefined, "approved"]],
    ["deny 1", ["denied", undefined, undefined]],
    ["no 1", ["denied", undefined, undefined]],
    ["all", ["approved", "approved", "approved"]],
    ["approve all", ["approved", "approved", "approved"]],
    ["deny all", ["denied", "denied", "denied"]],
    ["approve 1 and 3", ["approved", undefined, "approved"]],
    ["Yes 1, 2 and 3.", ["approved", "approved", "approved"]],
    ["no 1, 3", ["denied", undefined, "denied"]],
    ["/approve 1 & 3", ["approved", undefined, "approved"]],
    ["/deny 2, 3", [undefined, "denied", "denied"]],
    ["deny 2 because it costs too much", [undefined, "denied", undefined]],
    ["deny 2 too slow", [undefined, "denied", undefined]],
    ["Deny 1 and 3: far too slow.", ["denied", undefined, "denied"]],
    ["No 3, because it is late.", [undefined, undefined, "denied"]],
    ["approve 1-2", ["approved", "approved", undefined]],
    ["deny 1 and 3 because I say so", ["denied", undefined, "denied"]],
    ["deny all, because 2 is enough", ["denied", "denied", "denied"]],
    ["no 2, because , 3", [undefined, "denied", undefined]],
    ["/approve 2", [undefined, "approved", undefined]],
    ["/approve all", ["approved", "approved", "approved"]],
    ["/deny 3 not today", [undefined, undefined, "denied"]],
    ["/deny all", ["denied", "denied", "denied"]],
  ] as const)
    it(`takes "${words}" as an answer to it`, async () => {
      const list = await listed(3);
      await gate(desk.message({ ...boss, text: words, replyTo: list.messageId }));
      assert.deepEqual(await settlements(list.ids), expected);
    });

  for (const words of [
    "yes",
    "no",
    "ok",
    "approve",
    "/approve",
    "approve 4",
    "/deny 9",
    "/approve 4",
    "/approve no",
    "approve 1 and 4",
    "/deny 1 and 4",
    "no, because it is late",
    "no, because 2 is enough",
    "approve 3-1",
    "deny 9, because it is late",
    "deny 9 too slow",
    "deny too slow",
  ])
    it(`asks which one is meant by "${words}" as an answer to it`, async () => {
      const list = await listed(3);
      await gate(desk.message({ ...boss, text: words, replyTo: list.messageId }));
      assert.deepEqual(await settlements(list.ids), [undefined, undefined, undefined]);
      for (const id of list.ids) assert.ok((await last()).includes(`\`${id}\``), await last());
      const verb = /approve|yes|ok/.test(words) ? "approved" : "denied";
      assert.match(await last(), new RegExp(`^Nothing was ${verb}[.:]`));
    });

  it("hands on the reason for what is left of it, and for several of it", async () => {
    const list = await listed(3);
    const contents = async (ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await test.store.calls.find(id))?.content));
    await gate(desk.message({ ...boss, text: "approve 1 and 3", replyTo: list.messageId }));
    assert.equal(await last(), "Approved 1 and 3; 2 still waits.");
    await gate(desk.message({ ...boss, text: "no, because 1 and 3 are enough", replyTo: list.messageId }));
    assert.deepEqual(await settlements(list.ids), ["approved", "denied", "approved"]);
    assert.deepEqual(await contents(list.ids), [undefined, "1 and 3 are enough", undefined]);
    const other = await asked(4);
    await gate(desk.message({ ...boss, text: "deny 1 and 3, because it\nis late", replyTo: other.messageId }));
    assert.equal(await last(), "Denied 1 and 3; 2 and 4 still wait.");
    await gate(desk.message({ ...boss, text: "deny all because 2 costs too much", replyTo: other.messageId }));
    assert.equal(await last(), "Denied all 2.");
    const late = "it is late";
    const much = "2 costs too much";
    assert.deepEqual(await contents(other.ids), [late, much, late, much]);
  });

  for (const words of [
    "deny 2 and ask me again",
    "deny 2 or 3",
    "deny 2 if it is slow",
    "deny 2 not 1",
    "no 2 too slow",
  ])
    it(`takes no reason from ${JSON.stringify(words)}, which may mean something else`, async () => {
      const { ids, messageId } = await listed(3);
      await gate(desk.message({ ...boss, text: words, replyTo: messageId }));
      assert.deepEqual(await settlements(ids), [undefined, undefined, undefined]);
      assert.match(await last(), /^Nothing is decided yet\./);
    });

  for (const words of ["/deny all", "/deny 1", "/approve all", "/approve 1", "/approve 2 session"])
    it(`decides nothing by "${words}" that answers no list`, async () => {
      const list = await listed(2);
      await gate(desk.message({ ...boss, text: words }));
      await gate(desk.pressed(button(list, "Approve 1"), boss));
      await gate(desk.message({ ...boss, text: words }));
      assert.deepEqual(await settlements(list.ids), ["approved", undefined]);
      assert.match(await last(), /Nothing was (?:approved|denied)\./);
    });

  it("leaves other words to the agent, and words that answer something else", async () => {
    const list = await listed(2);
    for (const [text, replyTo] of [
      ["why the second?", list.messageId],
      ["approve all of it", list.messageId],
      ["approve 1 but not 2", list.messageId],
      ["approve 1 and 2 because I say so", list.messageId],
      ["no problem, go ahead", list.messageId],
      ["all", brandAs<MessageId>("another")],
    ] as const)
      assert.equal(await gate(desk.message({ ...boss, text, replyTo })), "recorded");
    assert.deepEqual(await settlements(list.ids), [undefined, undefined]);
    await test.store.turns.handOver(desk.lease);
    assert.equal((await desk.waiting("g1")).length, 6);
  });

  describe("answered by words that only look like a decision", () => {
    const told = async () => (await desk.notices("g1")).filter((text) => text.startsWith("Nothing is decided yet."));
    const waiting = async () => {
      await test.store.turns.handOver(desk.lease);
      return await desk.waiting("g1");
    };

    for (const [words, count] of [
      ["yes please", 1],
      ["ok do it", 1],
      ["Sure, go ahead", 1],
      ["👍🏽", 1],
      ["approve\nbut not on staging", 1],
      ["Approve\n\nOnly on staging,\nPerson u1", 1],
      [`approve${"\n".repeat(30)}not yet`, 1],
      ["no, use the other one", 2],
      ["approve it all", 2],
      ["3", 2],
    ] as const)
      it(`tells how to decide after ${JSON.stringify(words)}, which the agent reads`, async () => {
        const list = await listed(count);
        const event = desk.message({ ...boss, text: words, replyTo: list.messageId });
        assert.equal(await gate(event), "recorded");
        assert.equal(await gate(event), "duplicate");
        const ways =
          count === 1
            ? "Nothing is decided yet. To decide, press a button, or reply `approve` or `deny`."
            : "Nothing is decided yet. To decide, press a button, or reply with a place or all, such as `approve 2` or `deny all`.";
        assert.deepEqual(await told(), [ways]);
        assert.deepEqual(await settlements(list.ids), Array(count).fill(undefined));
        assert.deepEqual(await waiting(), [words]);
      });

    it("says so of any short answer that asks nothing back", async () => {
      const one = await listed(1);
      await gate(desk.message({ ...boss, text: "aprove it", replyTo: one.messageId }));
      assert.equal((await told()).length, 1);
      assert.deepEqual(await settlements(one.ids), [undefined]);
    });

    it("tells nobody else, nothing elsewhere, and nothing once it is decided", async () => {
      const one = await listed(1);
      for (const facts of [
        { ...boss, text: "yes please" },
        { ...boss, text: "yes please", replyTo: brandAs<MessageId>("another") },
        { ...boss, text: "why?", replyTo: one.messageId },
        { ...boss, text: "2 things first: who asked, and why?", replyTo: one.messageId },
        { ...inGroup, from: "u1", text: "yes please", replyTo: one.messageId },
      ])
        assert.equal(await gate(desk.message(facts)), "recorded");
      await gate(desk.message({ ...boss, text: "yes", replyTo: one.messageId }));
      await gate(desk.message({ ...boss, text: "yes please", replyTo: one.messageId }));
      assert.deepEqual(await settlements(one.ids), ["approved"]);
      assert.deepEqual(await told(), []);
    });

    it("decides by a first line that is a decision, above what ends a letter", async () => {
      const name = desk.message(boss).sender.displayName;
      for (const [text, settlement] of [
        [`Approve\n\nBest regards,\n${name}`, "approved"],
        [`yes\r\n\r\n${name}`, "approved"],
        ["Deny.\n\nViele Grüße", "denied"],
        ["no\n\n-- \nBoss & Sons, not a word more", "denied"],
      ] as const) {
        const one = await (text.startsWith("Approve") ? listed(1) : asked(1));
        await gate(desk.message({ ...boss, text, replyTo: one.messageId }));
        assert.deepEqual(await settlements(one.ids), [settlement], text);
      }
      assert.deepEqual(await told(), []);
    });
  });

  it("is closed as a whole by /stop, whose answer goes out before that", async () => {
    const list = await listed(3);
    await gate(desk.message({ ...boss, text: "/stop" }));
    assert.deepEqual(await settlements(list.ids), ["cancelled", "cancelled", "cancelled"]);
    const kinds = (await desk.outbox("g1")).map(({ kind, markdown }) => markdown || kind);
    assert.deepEqual(kinds, ["Stopped.", "closing", "closing", "closing"]);
    await gate(desk.message({ ...boss, text: "/stop" }));
    for (const text of ["yes", "approve 1", "deny all", `/approve ${list.ids[0]}`]) {
      await gate(desk.message({ ...boss, text, replyTo: list.messageId }));
      assert.equal(await last(), "This was stopped before anybody decided.", text);
    }
    assert.deepEqual(await settlements(list.ids), ["cancelled", "cancelled", "cancelled"]);
  });
});
