import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { limitId, type SpendingLimits } from "@talaria/policy";
import { type AccountPolicy, brandAs, decidesCalls, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, off, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";
import { liftChoice } from "./lift-number.ts";

const spending: SpendingLimits = {
  owner: { ...off, tokensPerDay: 1_000 },
  person: { ...off, tokensPerDay: 400 },
  guest: off,
  conversation: off,
  account: { ...off, tokensPerDay: 10_000 },
};

describe("a limit that is reached", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let owners: readonly UserId[];

  beforeEach(() => {
    desk = test.newDesk();
    owners = [brandAs<UserId>("boss"), brandAs<UserId>("chief")];
    gate = desk.gateWith({
      spending,
      policyOf: () => openPolicy(),
    });
  });

  function openPolicy(): AccountPolicy {
    const policy = openGroups();
    const allow = { ...policy.access.allow, users: ["u1", "u2"].map((user) => brandAs<UserId>(user)) };
    return { ...policy, access: { ...policy.access, allow, direct: "open", owners } };
  }

  const keyOf = (user: string) => `tokens/person/${desk.accountId}/${user}`;

  /** A turn of theirs that uses as much. */
  async function use(user: string, worth: number): Promise<void> {
    const charge = { key: keyOf(user), unit: "tokens", windowMs: 86_400_000, max: 400 } as const;
    await desk.runTurn("work", { from: user, conversation: `of-${user}` }, gate, [{ charges: [charge] }]);
    await desk.endTurn(undefined, [{ kind: "assistant", usage: { inputTokens: 1, outputTokens: 0, worth } }]);
  }

  async function liftedFor(user: string): Promise<number> {
    return (await test.store.operations.spent([keyOf(user)]))[0]?.liftedForMs ?? 0;
  }

  const press = (from: string, user: string, facts: EventFacts = {}) =>
    gate(desk.pressed(`lift-${limitId(keyOf(user))}`, { from, conversation: "b1", ...facts }));
  const last = async (conversation = "b1") => (await desk.notices(conversation)).at(-1) ?? "";

  it("is lifted by an owner's button or words, that one alone, and they read which one it was", async () => {
    for (const user of ["u1", "u2"]) await use(user, 400);
    await press("boss", "u1");
    assert.match(
      await last(),
      /^I've lifted the daily limit of tokens for `[^`]+` \(`u1`\) on account `account-\d+` for a day\./,
    );
    assert.ok((await liftedFor("u1")) > 0);
    assert.equal(await liftedFor("u2"), 0);
    await gate(desk.message({ from: "boss", conversation: "b1", text: `/lift ${limitId(keyOf("u2")).toUpperCase()}` }));
    assert.ok((await liftedFor("u2")) > 0);
    await press("boss", "u2");
    assert.match(await last(), /^Nothing was done: .* is lifted already/);
  });

  it("is lifted once where two press at once in a group: the late press is told at its button alone", async () => {
    await use("u1", 400);
    const inGroup = { kind: "group", conversation: "g1" } as const;
    const id = liftChoice(limitId(keyOf("u1")), "group").id;
    const presses = ["boss", "chief"].map((from) => gate(desk.pressed(id, { from, ...inGroup })));
    assert.deepEqual((await Promise.all(presses)).toSorted(), ["duplicate", "recorded"]);
    const [done, ...more] = await desk.outbox("g1");
    assert.match(done?.markdown ?? "", /^I've lifted the daily limit/);
    assert.deepEqual([done?.replaces, more], [`limit ${limitId(keyOf("u1"))}`, []]);
    assert.deepEqual(
      [decidesCalls([id]), decidesCalls([liftChoice(limitId(keyOf("u1")), "direct").id])],
      [true, false],
    );
    assert.equal(await press("boss", "u1"), "duplicate");
    assert.match(await last(), /^Nothing was done: .* is lifted already/);
  });

  it("is lifted by nobody else, and by nobody who is no owner any more", async () => {
    await use("u1", 400);
    for (const facts of [{}, { kind: "group", conversation: "g1" } as const]) await press("u1", "u1", facts);
    assert.equal(await last(), "Only an owner can decide that.");
    owners = [];
    await press("boss", "u1");
    const claimed = { ...desk.pressed(`lift-${limitId(keyOf("u1"))}`, { from: "boss", conversation: "b1" }) };
    owners = [brandAs<UserId>("boss")];
    await gate({ ...claimed, sender: { ...claimed.sender, assurance: "claimed" } });
    await gate({ ...claimed, sender: { ...claimed.sender, role: "bot" } });
    assert.equal(await liftedFor("u1"), 0);
  });

  it("is not lifted under a number that names none, or one that is not reached", async () => {
    await use("u1", 399);
    await press("boss", "u1");
    assert.match(await last(), new RegExp(`no limit with the number \`${limitId(keyOf("u1"))}\` is reached`));
    await press("boss", "u1", { kind: "group", conversation: "g1" });
    const [over] = await desk.outbox("g1");
    assert.equal(over?.replaces, `limit ${limitId(keyOf("u1"))}`, "and its notice loses the button");
    await gate(desk.message({ from: "boss", conversation: "b1", text: "/lift" }));
    assert.ok(!(await last()).includes(desk.accountId), "nothing is reached here");
    await use("u2", 400);
    for (const argument of ["u1", "'; drop `table`\n\n**spending**", "f".repeat(500)]) {
      await gate(desk.message({ from: "boss", conversation: "b1", text: `/lift ${argument}` }));
      assert.match(
        await last(),
        /^Nothing was done: no limit with the number `[^`\n]{1,20}` is reached\. .*$/,
        argument,
      );
    }
    assert.equal(await liftedFor("u1"), 0);
  });

  it("is listed for an owner in private, and for nobody in a group", async () => {
    await use("u1", 400);
    await gate(desk.message({ from: "boss", conversation: "b1", text: "/lift" }));
    assert.match(
      await last(),
      new RegExp(
        `- \`${limitId(keyOf("u1"))}\`: the daily limit of tokens for \`[^\`]+\` \\(\`u1\`\\) on account .*, goes on in 24 hours`,
      ),
    );
    await use("u2", 400);
    await press("boss", "u1");
    await gate(desk.message({ from: "boss", conversation: "b1", text: "/lift" }));
    const [reached = "", done = ""] = (await last()).split("\n\nLifted:\n\n");
    const line = (user: string) => `- \`${limitId(keyOf(user))}\`: the daily limit of tokens for \`Ada\` (\`${user}\`)`;
    assert.deepEqual(
      ["u1", "u2"].map((user) => reached.includes(line(user))),
      [false, true],
    );
    assert.deepEqual(
      ["u1", "u2"].map((user) => done.includes(line(user))),
      [true, false],
    );
    assert.match(done, /, for 24 hours$/);
    await gate(desk.message({ from: "boss", kind: "group", conversation: "g1", text: "/lift", mentionsSelf: true }));
    assert.match(await last("g1"), /^`\/lift` takes the number/);
  });

  it("is not listed any more where the configuration has raised it since, and is where it was lowered to what is used", async () => {
    const listed = async (person: SpendingLimits["person"]) => {
      gate = desk.gateWith({ spending: { ...spending, person, guest: person }, policyOf: () => openPolicy() });
      await gate(desk.message({ from: "boss", conversation: "b1", text: "/lift" }));
      return (await last()).includes(limitId(keyOf("u1")));
    };
    await use("u1", 450);
    assert.equal(await listed({ ...off, tokensPerDay: 400 }), true);
    assert.equal(await listed({ ...off, tokensPerDay: 450 }), true);
    assert.equal(await listed({ ...off, tokensPerDay: 451 }), false);
    assert.equal(await listed(off), false);
  });

  it("stands in what /status says, with when it ends, until it is lifted", async () => {
    const status = async () => {
      await gate(desk.message({ from: "u1", conversation: "of-u1", text: "/status" }));
      return await last("of-u1");
    };
    await use("u1", 399);
    assert.match(await status(), /Used: you 399 of 400 tokens in 24 hours;/);
    await use("u1", 1);
    assert.match(await status(), /Used: you 400 of 400 tokens in 24 hours \(reached: I go on in 24 hours\);/);
    await press("boss", "u1");
    assert.match(await status(), /Used: you 400 of 400 tokens in 24 hours;/);
  });

  it("stands in what /usage says is left, with when it is renewed", async () => {
    const usage = async (from: string) => {
      await gate(desk.message({ from, conversation: `of-${from}`, text: "/usage" }));
      return await last(`of-${from}`);
    };
    assert.match(
      await usage("u1"),
      /Left:\n\n- for you: 400 of 400 tokens\n- for this account: 10,000 of 10,000 tokens\n/,
    );
    await use("u1", 150);
    assert.match(await usage("u1"), /- for you: 250 of 400 tokens, renewed in 24 hours\n/);
    await use("u1", 450);
    await press("boss", "u1");
    assert.match(
      await usage("u1"),
      /- for you: no limit for 24 hours, because an owner lifted it; then 0 of 400 tokens, renewed in 24 hours\n/,
    );
    const guest = await usage("guest");
    assert.doesNotMatch(guest, /account|tokens of/, "and a guest reads of what nobody else has used");
    assert.match(await usage("boss"), /- for you: 1,000 of 1,000 tokens\n/);
  });
});
