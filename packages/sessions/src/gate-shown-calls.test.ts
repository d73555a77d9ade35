import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { callText, shownCall } from "@talaria/policy";
import { brandAs, type DeliveryKey, instantOf, type TurnId, type UserId } from "@talaria/protocol";
import { english } from "@talaria/words";
import { approvalQuestions } from "./approval-question.ts";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const hostile = `ls \`echo -a\` # ${"looks only ".repeat(25)}\necho EVIL > evil; cat evil`;

describe("what is approved", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let count = 0;

  beforeEach(async () => {
    desk = test.newDesk();
    const policy = openGroups();
    const owners = [brandAs<UserId>("boss")];
    const access = { ...policy.access, direct: "open", owners } as const;
    gate = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
    for (const call of await test.store.calls.forOwners())
      await test.store.calls.settle({ ...call, settlement: "cancelled" });
  });

  const shownOf = (command: string) => {
    const call = { name: "process", arguments: "{}" };
    const target = { kind: "command", command, isSandboxed: true, hasNetwork: false } as const;
    const { text, words } = shownCall(call, [target], english.callPhrases, { why: "A command was asked for." });
    return { shown: text, words };
  };

  /** Calls of a member in c1, which only an owner may approve. Answers with their numbers. */
  async function waiting(commands: readonly string[], isAskedThere = false) {
    await desk.runTurn("do it", { from: "u1", conversation: "c1" }, gate);
    const { sender, conversation } = desk.message({ from: "u1", conversation: "c1" });
    const asks = commands.map((command, n) => {
      count += 1;
      const id = `dd${count.toString(16).padStart(6, "0")}`;
      const call = { id, callId: `c${n}`, name: "process", arguments: "{}", waitsFor: "approval" } as const;
      const offer = { scopes: ["always"], covers: "process", terms: {} } as const;
      const askers = [{ sender, role: "member" }] as const;
      const expiresAt = instantOf(Date.now() + 3_600_000);
      return { ...call, approver: "owner", askers, ...shownOf(command), expiresAt, offer } as const;
    });
    const turnId = brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
    await test.store.turns.append(
      desk.lease,
      turnId,
      [],
      asks.map((ask) => ({ ask })),
    );
    if (isAskedThere) {
      const place = { turnId, sessionKey: desk.lease.sessionKey, route: conversation };
      const questions = approvalQuestions(asks, place, Date.now(), false);
      for (const question of questions) {
        const deliveryKey = brandAs<DeliveryKey>(`${question.deliveryKey}:home`);
        const { conversation: home } = desk.message({ from: "boss", conversation: "b1" });
        await test.store.outbox.add([{ ...question, deliveryKey, conversation: home }]);
      }
    }
    return asks.map(({ id, shown }) => ({ id, shown }));
  }

  const say = (text: string, facts: { from?: string; conversation?: string } = {}) =>
    gate(desk.message({ from: "boss", conversation: "b1", text, ...facts }));
  const last = async (place = "b1") => (await desk.notices(place)).at(-1) ?? "";
  const settlementOf = async (id: string | undefined) => (await test.store.calls.find(id ?? ""))?.settlement;

  for (const command of ["/approvals", "/status"])
    it(`stands in ${command} as in its question, with every sign and line`, async () => {
      const [{ shown = "" } = {}] = await waiting([hostile]);
      await say(command, command === "/status" ? { from: "u1", conversation: "c1" } : {});
      const text = await last(command === "/status" ? "c1" : "b1");
      assert.ok(text.includes(shown), text);
      assert.match(
        shown,
        /^\*\*May I use the tool `process`\?\*\*[\s\S]*\n```\nls `echo -a` # looks[\s\S]*\necho EVIL > evil; cat evil\n```\n/,
      );
    });

  it("is cut where many are long, in blocks that end, with how to see all of it", async () => {
    const calls = await waiting(Array.from({ length: 5 }, (_, n) => `echo \`\`\` ${n} ${"x ".repeat(1_000)}; rm -r *`));
    await say("/approvals");
    const text = await last();
    for (const { id } of calls)
      assert.match(
        text,
        new RegExp(
          `\\n\`{4}\\n\\nA command was asked for\\.\\n\\n\\[Cut: [\\d,]+ characters are not shown\\. \`/approvals ${id}\` shows all\\.\\]`,
        ),
      );
    assert.equal(text.match(/^`{4}$/gm)?.length, 10);
    assert.ok(text.length < 6_000, `${text.length}`);
    const [{ id = "", shown = "" } = {}] = calls;
    await say(`/approvals ${id.toUpperCase()}`);
    assert.ok((await last()).includes(shown));
    await say("/approvals 12345678");
    assert.match(await last(), /^Nothing waits for your approval as `12345678`/);
  });

  for (const scope of ["", " always"])
    it(`is shown first to an owner who was shown nothing of it (/approve <id>${scope})`, async () => {
      const [{ id = "", shown = "" } = {}] = await waiting([hostile]);
      await say(`/approve ${id}${scope}`);
      assert.equal(await settlementOf(id), undefined);
      const text = await last();
      assert.match(text, /^Nothing is approved yet\. This is the whole call:/);
      assert.ok(text.includes(shown));
      assert.ok(text.endsWith(`write \`/approve ${id}${scope}\` again.`));
      await say(`/approve ${id}${scope}`);
      assert.equal(await settlementOf(id), "approved");
    });

  it("is shown first after a list that cut it, and not after one that showed it whole", async () => {
    const [first, second] = await waiting(["x ".repeat(1_400), "y ".repeat(1_400)]);
    await say("/approvals");
    await say(`/approve ${first?.id}`);
    assert.equal(await settlementOf(first?.id), undefined);
    await say(`/deny ${first?.id}`);
    assert.equal(await settlementOf(first?.id), "denied");
    await say("/approvals");
    await say(`/approve ${second?.id}`);
    assert.equal(await settlementOf(second?.id), "approved");
  });

  it("is shown whole to whoever asks for what its question has cut, who then approves it at once", async () => {
    const command = `echo ${"long ".repeat(1_500)}`;
    const [{ id = "" } = {}] = await waiting([command], true);
    await say(`/approvals ${id}`);
    const text = await last();
    assert.ok(
      text.includes(command) && text.includes(callText(shownOf(command).words, 1e9, english.callPhrases).text),
      text,
    );
    assert.ok(!shownOf(command).shown.includes(command));
    await say(`/approve ${id}`);
    assert.equal(await settlementOf(id), "approved");
  });

  it("is shown first, and whole, and then once is enough", async () => {
    const command = `echo ${"long ".repeat(1_500)}`;
    const [{ id = "" } = {}] = await waiting([command]);
    await say(`/approve ${id}`);
    assert.ok((await last()).includes(command));
    assert.equal(await settlementOf(id), undefined);
    await say(`/approve ${id}`);
    assert.equal(await settlementOf(id), "approved");
  });

  it("is not shown again where its question stands, at a home", async () => {
    const [{ id = "" } = {}] = await waiting(["ls"], true);
    await say(`/approve ${id}`);
    assert.equal(await settlementOf(id), "approved");
  });

  it("counts as shown to nobody whom it was shown elsewhere", async () => {
    const [{ id = "" } = {}] = await waiting(["ls"], true);
    await say(`/approve ${id}`, { conversation: "b2" });
    assert.equal(await settlementOf(id), undefined);
  });
});
