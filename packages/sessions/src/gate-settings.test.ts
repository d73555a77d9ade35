import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { SpendingLimits } from "@talaria/policy";
import { brandAs, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, off, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";
import type { GateDeps } from "./gate-deps.ts";

const all = { turnsPerMinute: 10, turnsPerDay: 100, tokensPerDay: 1_000, moneyPerMonth: 5 };
const choices = {
  model: "main",
  models: ["main", "tiny"],
  efforts: ["low"],
  effortOf: { main: "high" },
  forMembers: { models: ["tiny"], efforts: [] },
};

describe("/settings", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let spending: SpendingLimits;
  beforeEach(() => {
    desk = test.newDesk();
    spending = { person: off, guest: { ...off, tokensPerDay: 400 }, conversation: off, account: off };
    rebuild();
  });

  function rebuild(
    switchedOn = [{ what: "web", key: "web.enabled" }] as NonNullable<GateDeps["switchedOn"]>,
    lacking: readonly { readonly key: string; readonly reason: string }[] = [],
  ): void {
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    gate = desk.gateWith({
      choices,
      spending,
      switchedOn,
      lacking: async () => lacking,
      policyOf: () => ({ ...policy, access }),
    });
  }

  async function asked(facts: EventFacts = {}): Promise<string> {
    await gate(desk.message({ text: "/settings", ...facts }));
    return (await desk.notices(facts.conversation ?? "c1")).at(-1) ?? "";
  }

  it("lists what counts for a member in private, each with the key that made it so", async () => {
    const of = `accounts.${desk.accountId}`;
    assert.deepEqual((await asked()).split("\n"), [
      `- You: member, and may use what I have; an owner approves some of it (\`${of}.access.allow\`, \`policy.rules\`)`,
      "- Model: `main` (`agent.model`)",
      "- Effort: `high` (`models.main.effort`)",
      "- Switched on: web pages (`web.enabled`)",
      `- Here, messages that come while I work wait (\`${of}.busy.direct\`)`,
      "- No limit is set for you (`limits.spending`)",
    ]);
  });

  it("names the command where one made it so", async () => {
    await gate(desk.message({ text: "/model tiny" }));
    const said = await asked();
    assert.match(said, /- Model: `tiny` \(`\/model`\)\n- Effort: the model's own \(no `models\.tiny\.effort`\)/);
  });

  it("says what a guest is in a group, when it answers, and what is left", async () => {
    const said = await asked({ from: "guest", kind: "group", conversation: "g1", mentionsSelf: true });
    assert.match(said, /^- You: guest, and may ask me things \(`accounts\.\S+\.access\.groups: open`/);
    assert.match(said, /\n- Here I answer whoever names me or replies to me \(`accounts\.\S+\.groups\.activation`\)\n/);
    assert.match(said, /\n- Left for you: 400 of 400 tokens \(`limits\.spending\.guest\.tokensPerDay`\)$/);
    assert.match(
      await asked({ from: "boss", conversation: "g1", kind: "group", mentionsSelf: true }),
      /^- You: owner.*\(`owners`/,
    );
  });

  it("lists nothing as switched on that doesn't work, and says why; the remedy to owners alone", async () => {
    const on = [
      { what: "commands" as const, key: "sandbox.backend: local" },
      { what: "server" as const, key: "mcp.servers.notes" },
      { what: "server" as const, key: "mcp.servers.notes2" },
    ];
    rebuild(on, [
      { key: "sandbox.backend", reason: "bwrap is missing; run: apt-get install -y bubblewrap" },
      { key: "mcp.servers.notes", reason: "a login is needed" },
    ]);
    const lines = async (from: string) => (await asked({ from, conversation: `of-${from}` })).split("\n").slice(3, 6);
    const [first, , third] = await lines("boss");
    assert.equal(first, "- Switched on: a server's tools (`mcp.servers.notes2`)");
    assert.equal(third, "- Doesn't work now: a server's tools (`mcp.servers.notes`): `a login is needed`");
    assert.match(
      (await lines("boss"))[1] ?? "",
      /commands and files \(`sandbox\.backend: local`\): `bwrap is missing; run: /,
    );
    assert.match((await lines("u1"))[1] ?? "", /: `bwrap is missing`$/);
  });

  it("lists no tools that a guest has not, and says what a group leaves", async () => {
    const facts = { kind: "group", conversation: "g1", mentionsSelf: true } as const;
    const guest = await asked({ from: "guest", ...facts });
    assert.match(guest, /\n- Tools: none for guests, but what `policy\.rules` allow them\n/);
    assert.doesNotMatch(guest, /Switched on/);
    const member = await asked({ from: "boss", ...facts });
    assert.match(
      member,
      /Switched on: web pages \(`web\.enabled`\); in groups only what changes nothing, and what `pol/,
    );
  });

  it("fits a message of Discord however much is set", async () => {
    spending = { person: all, guest: all, conversation: all, account: all, total: all, currency: "EUR" };
    rebuild(
      Array.from({ length: 40 }, (_, n) => ({ what: "server" as const, key: `mcp.servers.${n}${"x`".repeat(200)}` })),
    );
    const said = await asked();
    assert.ok(said.length <= 2_000, `${said.length}`);
    assert.match(said, /, and 34 more\n[\s\S]*- And 11 more limits: `\/usage`$/);
  });
});
