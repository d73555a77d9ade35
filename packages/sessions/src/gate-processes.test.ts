import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type ConversationId, instantOf, type Role, type TurnId, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("what runs in the background", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;

  beforeEach(() => {
    desk = test.newDesk();
    gate = desk.gateWith({
      policyOf: () => {
        const policy = openGroups();
        const access = { ...policy.access, direct: "open", owners: [brandAs<UserId>("boss")] } as const;
        return { ...policy, access };
      },
    });
  });

  /** A process that somebody's turn has begun, which runs on. */
  async function begun(facts: EventFacts = {}, command = "npm start", role: Role = "member") {
    const { conversation, sender } = desk.message({ conversation: "c1", ...facts });
    const holder = await desk.runTurn("start it", { conversation: "c1", ...facts }, gate);
    const id = await desk.beginProcess({ command, askers: [{ sender, role }], route: conversation });
    return { id, holder, toEnd: async () => (await test.store.background.toEnd(holder)).map((one) => one.id) };
  }

  const say = (text: string, facts: EventFacts = {}) => gate(desk.message({ conversation: "c1", text, ...facts }));
  const last = async (conversation = "c1") => (await desk.notices(conversation)).at(-1) ?? "";
  const room = { kind: "group", conversation: "g1", mentionsSelf: true } as const;

  it("is listed with its number, who asked, and what it may reach", async () => {
    const { id } = await begun({ name: "Ann `x`" });
    await say("/processes");
    assert.match(
      await last(),
      new RegExp(
        `^Running in the background:\\n\\n- \`${id}\`: \`npm start\`, for .*, started for \`Ann x\`, may reach \`example.org\`\\n\\n`,
      ),
    );
  });

  it("is ended by its number, once, and its worker is told", async () => {
    const { id, holder, toEnd } = await begun();
    desk.said.length = 0;
    await say(`/processes stop p${id}`);
    assert.deepEqual(await toEnd(), [id]);
    assert.ok(desk.said.includes(`cancel ${holder} c1`));
    assert.equal(await last(), `I'm ending process \`${id}\`: \`npm start\`.`);
    await say(`/processes stop ${id}`);
    assert.match(await last(), /^There's no process `\d+` here/);
    await say("/processes");
    assert.match(await last(), /^Nothing runs in the background here/);
  });

  it("goes on after a /stop that stops nothing but the telling of its end", async () => {
    const { id, holder } = await begun();
    const call = { id: "0badcafe", callId: "c1", name: "process", arguments: "{}", waitsFor: "process" } as const;
    const ask = {
      ...call,
      shown: "npm start",
      askers: [],
      expiresAt: instantOf(Date.now() + 3_600_000),
      heldBy: holder,
    };
    await test.store.turns.append(desk.lease, brandAs<TurnId>(`turn-${desk.lease.sessionKey}`), [], [{ ask }]);
    await desk.endTurn();
    await say("/stop");
    assert.match(
      await last(),
      new RegExp(`^There is nothing to stop\\.\\n\\nStill running in the background:\\n\\n- \`${id}\``),
    );
  });

  it("is ended by nothing but a number that is listed", async () => {
    const { toEnd } = await begun();
    for (const argument of [
      "stop",
      "stop all",
      "stop 1e9",
      "stop 99999999999999999999",
      "stop pp1",
      "kill 1",
      "stop ' or 1=1",
    ]) {
      await say(`/processes ${argument}`);
      assert.deepEqual(await toEnd(), []);
    }
  });

  it("is shown and ended elsewhere by an owner in private, and by nobody else", async () => {
    const { id, toEnd } = await begun();
    for (const from of ["u1", "boss"]) await say(`/processes stop ${id}`, { ...room, from });
    await say(`/processes stop ${id}`, { from: "u1", conversation: "c2" });
    assert.deepEqual(await toEnd(), []);
    await say("/processes", { ...room, from: "boss" });
    assert.equal(await last("g1"), "Nothing runs in the background here.");
    await say("/processes", { from: "boss", conversation: "b1" });
    assert.match(await last("b1"), new RegExp(`Running in other conversations:[^]*\`${id}\`: \`npm start\`.* in `));
    await say(`/processes stop ${id}`, { from: "boss", conversation: "b1" });
    assert.deepEqual(await toEnd(), [id]);
  });

  it("is ended in a group by whoever asked for it and by members, not by other guests", async () => {
    const own = { ...room, from: "guest" } as const;
    const { id, toEnd } = await begun(own, "npm start", "guest");
    await say(`/processes stop ${id}`, { ...room, from: "other" });
    assert.match(await last("g1"), /^Only whoever asked for it/);
    assert.deepEqual(await toEnd(), []);
    await say(`/processes stop ${id}`, own);
    assert.deepEqual(await toEnd(), [id]);
  });

  for (const command of ["stop", "new"] as const)
    it(`outlives /${command}, which says so, and ends by /${command} all`, async () => {
      const { id, holder, toEnd } = await begun();
      await say(`/${command}`);
      assert.match(
        await last(),
        new RegExp(`Still running in the background:\\n\\n- \`${id}\`: .*\\n\\n\`/${command} all\` ends it, too`),
      );
      assert.deepEqual(await toEnd(), []);
      await say(`/${command} all`);
      assert.doesNotMatch(await last(), /Still running/);
      if (command === "stop") assert.equal(await last(), "Stopped. I'm ending what runs in the background here, too.");
      assert.deepEqual(await toEnd(), [id]);
      assert.ok(desk.said.includes(`cancel ${holder} c1`));
    });

  for (const command of ["stop", "stop all", "new", "branch", "undo", "resume 1"])
    it(`is named by /${command} where it was let go, since it may have taken effect`, async () => {
      if (command === "resume 1") {
        await begun();
        await desk.endTurn(undefined, [{ kind: "note" }]);
        await say("/new");
      }
      const { conversation, sender } = desk.message({ conversation: "c1" });
      const holder = await desk.runTurn("pay it", { conversation: "c1" }, gate);
      const asker = { sender, role: "member" } as const;
      const id = await desk.beginProcess({
        ...{ command: "desk.pay", askers: [asker], route: conversation, isLetGo: true },
      });
      await desk.endTurn(undefined, [{ kind: "note" }]);
      await say(`/${command}`);
      assert.match(
        await last(),
        new RegExp(
          `\n\nI'm ending what still ran beside my answers. It may have taken effect:\n\n- \`${id}\`: \`desk.pay\`, for `,
        ),
      );
      assert.ok((await test.store.background.toEnd(holder)).some((one) => one.id === id));
    });

  it("is shown as it is, with every sign, whoever wrote it", async () => {
    const hidden = await begun({}, "ls\u200b `x`\u{e0041}\u202e");
    await say("/processes");
    const shown = "``ls\\u{200b} `x`\\u{e0041}\\u{202e}``";
    assert.ok((await last()).includes(`- \`${hidden.id}\`: ${shown}, for `), await last());
    await say(`/processes stop ${hidden.id}`);
    assert.equal(await last(), `I'm ending process \`${hidden.id}\`: ${shown}.`);
    await desk.endTurn();
    const lines = await begun({}, `echo a # ${"b ".repeat(150)}\n\`\`\`\nrm -r *`);
    await say("/processes");
    assert.match(
      await last(),
      new RegExp(
        `- \`${lines.id}\`, for .*:\\n\\n\`{4}\\necho a # [\\s\\S]*characters are not shown\\][\\s\\S]*\\nrm -r \\*\\n\`{4}\\n\\n`,
      ),
    );
  });

  it("fits a message however much there is", async () => {
    await begun({}, "x".repeat(200));
    await desk.endTurn();
    for (let n = 1; n < 15; n += 1) {
      await begun({}, `${n}`.repeat(100));
      await desk.endTurn();
    }
    await say("/processes");
    assert.match(await last(), /And 5 more\./);
    assert.ok((await last()).length < 4_000);
  });
});

describe("a stop that drops what waits", () => {
  const test = useStore();

  it("says how many messages of whom", async () => {
    const desk = test.newDesk();
    const gate = desk.gateWith({ policyOf: () => ({ ...openGroups(), busy: { direct: "queue", groups: "queue" } }) });
    const room = { kind: "group", conversation: "g1", mentionsSelf: true } as const;
    await desk.runTurn("work", room, gate);
    for (const name of ["Ann", "Ben", "Ann"])
      await gate(desk.message({ ...room, from: name, name, text: `of ${name}` }));
    await gate(desk.message({ ...room, from: "u1", text: "/stop" }));
    assert.equal((await desk.notices("g1")).at(-1), "Stopped. 3 waiting messages of `Ann` and `Ben` were dropped.");
    const id = brandAs<ConversationId>("g1");
    assert.equal((await desk.waiting(id)).length, 0);
  });
});
