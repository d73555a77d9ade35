import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { type Asker, brandAs, type TurnId, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

describe("/learned", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let tests = 0;
  const policyOf = () => {
    const policy = openGroups();
    const users = ["u1", "u2"].map((id) => brandAs<UserId>(id));
    return { ...policy, access: { ...policy.access, allow: { users, groups: [] }, owners: [brandAs<UserId>("boss")] } };
  };
  beforeEach(async () => {
    tests += 1;
    desk = test.newDesk();
    gate = desk.gateWith({ policyOf, skills: test.store.skills });
    await desk.runTurn("teach", { conversation: "school" }, gate);
  });

  const askerOf = (id: string): Asker => ({
    sender: { userId: brandAs(id), role: "person", displayName: `${id} by name`, assurance: "platform" },
    role: "member",
  });
  const turnId = () => brandAs<TurnId>(`turn-${desk.lease.sessionKey}`);
  /** Names are of all accounts. */
  const named = (name: string) => `${name}-${tests}`;

  async function learn(name: string, conversation: string, author = "u1", isAccepted = false) {
    const digest = digestOf(`${named(name)} ${conversation}`);
    const place = `${desk.accountId}/${conversation}`;
    await test.store.skills.write(desk.lease, turnId(), {
      ...{ name: named(name), digest, description: "canary", files: [{ path: "SKILL.md", text: "canary" }] },
      ...{ place, author, callKey: `${place} ${name}`, derived: { taint: [], askers: [askerOf(author)] } },
    });
    if (isAccepted) await test.store.skills.accept({ name: named(name), digest });
    return digest;
  }

  async function teach(scope: "person" | "group", id: string, text: string, author = "u1") {
    const key = `${desk.accountId}/${id}`;
    const { version } = await test.store.facts.of({ scope, key });
    await test.store.facts.change(desk.lease, turnId(), {
      ...{ scope, key, version, callKey: `${desk.accountId} ${text}`, author, archive: [], confirm: [] },
      add: { text, trust: "said", version: 1, derived: { taint: [], askers: [askerOf(author)] } },
    });
  }

  async function answerTo(text: string, facts: EventFacts = {}): Promise<string> {
    await gate(desk.message({ text, kind: "direct", conversation: "c1", from: "u1", ...facts }));
    return (await desk.notices(facts.conversation ?? "c1")).at(-1) ?? "";
  }
  const group = { kind: "group", conversation: "g1", mentionsSelf: true } as const;
  const boss = { conversation: "boss", from: "boss" } as const;

  it("lists facts and skills with their cause and what revokes each", async () => {
    assert.equal(
      await answerTo("/learned"),
      "Of you I have learnt nothing.\n\nNo skill that counts here have I learnt.",
    );
    await teach("person", "u1", "likes tables");
    await learn("deploy", "c1");
    const listed = await answerTo("/learned");
    assert.match(
      listed,
      /^What I have learnt of you:\n\n- “likes tables” \(20[0-9-]{8}, from you\): `\/memory forget \d+`\n/,
    );
    const name = named("deploy");
    assert.match(
      listed,
      new RegExp(
        `\n- \`${name}\` \\(20[0-9-]{8} here from you, waits for an owner to accept it\\): \`/learned forget ${name}\``,
      ),
    );
    assert.doesNotMatch(listed, /canary/);
  });

  it("tells of what was learnt elsewhere only that an owner has accepted it, and an owner in private of all", async () => {
    await learn("secret", "c2", "u2");
    await learn("shared", "c2", "u2", true);
    const [secret, shared] = [named("secret"), named("shared")];
    const listed = await answerTo("/learned");
    assert.doesNotMatch(listed, new RegExp(secret));
    assert.match(listed, new RegExp(`\n- \`${shared}\` \\(20[0-9-]{8}, accepted by an owner\\)(?:\n|$)`));
    const all = await answerTo("/learned", boss);
    assert.match(
      all,
      new RegExp(
        `- \`${secret}\` \\(20[0-9-]{8} in \`${desk.accountId}/c2\` from “u2 by name”, waits .*: \`/learned forget ${secret}\``,
      ),
    );
    assert.doesNotMatch(await answerTo("/learned", { ...group, from: "boss" }), new RegExp(secret));
  });

  it("names in a group who taught it what", async () => {
    await teach("group", "g1", "meets on Mondays", "u2");
    await learn("ours", "g1", "u2");
    const listed = await answerTo("/learned", group);
    assert.match(
      listed,
      /^What I have learnt of this group:\n\n- “meets on Mondays” \(20[0-9-]{8}, from “u2 by name”\): /,
    );
    assert.match(listed, new RegExp(`- \`${named("ours")}\` \\(20[0-9-]{8} here from “u2 by name”, waits for .*\\)\n`));
  });

  it("forgets for whoever alone has taught it while nobody has accepted it, and for owners", async () => {
    await learn("mine", "g1", "u1");
    await learn("accepted", "g1", "u1", true);
    const [mine, accepted] = [named("mine"), named("accepted")];
    const isThere = async (name: string) => (await test.store.skills.learned()).some((one) => one.name === name);
    assert.match(
      await answerTo(`/learned forget ${mine}`, { ...group, from: "u2" }),
      /an owner can, with the same command/,
    );
    assert.match(await answerTo(`/learned forget ${mine}`), /I have learnt no skill/, "elsewhere");
    assert.equal(await isThere(mine), true);
    assert.match(await answerTo(`/learned forget ${mine}`, group), /^Forgotten: the skill `mine-\d+`, in all/);
    assert.match(await answerTo(`/learned forget ${accepted}`, group), /an owner can/);
    assert.deepEqual([await isThere(mine), await isThere(accepted)], [false, true]);
    assert.match(await answerTo(`/learned forget ${accepted}`, boss), /^Forgotten/);
    assert.equal(await isThere(accepted), false);
  });

  it("has a use count as failed for whoever used it, and for owners", async () => {
    const digest = await learn("used", "c1", "u1", true);
    const name = named("used");
    const users = [`${desk.accountId}/u1`];
    const use = (n: number) =>
      test.store.skills.use({
        turnId: brandAs(`${name} ${n}`),
        sessionKey: desk.lease.sessionKey,
        name,
        digest,
        users,
      });
    await use(1);
    assert.match(
      await answerTo(`/learned wrong ${name}`, { from: "u2", conversation: "c2" }),
      /^No use of `used-\d+` is known/,
    );
    assert.match(await answerTo(`/learned wrong ${name}`), /^Noted: the last use of `used-\d+` has failed/);
    assert.match(await answerTo(`/learned wrong ${name}`), /^No use of/);
    await use(2);
    assert.match(await answerTo(`/learned wrong ${name}`, boss), /^Noted/);
    assert.equal((await test.store.skills.setAside([digest])).size, 1);
    assert.match(await answerTo("/learned"), /`used-\d+` \([^)]*set aside, since it has failed twice\)/);
  });

  it("says how it is used, and shows guests no skill", async () => {
    await learn("for-all", "c1", "u1", true);
    assert.match(await answerTo("/learned sideways"), /^`\/learned` lists what I have learnt/);
    assert.match(await answerTo("/learned forget"), /^`\/learned` lists/);
    assert.match(await answerTo("/learned", { ...group, from: "guest" }), /No skill that counts here/);
  });

  it("lets guests say nothing of skills", async () => {
    await learn("for-all", "c1", "u1", true);
    assert.match(
      await answerTo(`/learned wrong ${named("for-all")}`, { ...group, from: "guest" }),
      /^`\/learned` lists/,
    );
  });
});
