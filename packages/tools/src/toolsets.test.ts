import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { toolSpecs } from "@talaria/agent";
import { permissions } from "@talaria/protocol";
import { createSearch, createToolsets, type ToolPlace } from "./index.ts";
import { secretFor } from "./testing/secret-for.ts";

const made = { bytes: Buffer.from("x"), mimeType: "image/png" };

const unused = async () => assert.fail("no browser is meant");

const everything = createToolsets({
  facts: true,
  skills: { read: unused },
  workspace: true,
  browser: { open: unused, find: unused, close: unused, stop: unused },
  web: { search: createSearch({ provider: "duckduckgo" }) },
  media: { makeImage: async () => made, speak: async () => made, transcribe: async () => "words" },
});

const send = { maxBytes: 1_000, maxPerMessage: 1, maxCaptionLength: 100 };
const direct: ToolPlace = { conversation: { kind: "direct", platform: "telegram" }, role: "member", send };
const group: ToolPlace = { ...direct, conversation: { kind: "group", platform: "telegram" } };

function names(place: Partial<ToolPlace>, base = direct): string {
  const tools = everything({ ...base, ...place });
  return toolSpecs(tools)
    .map(({ name }) => name)
    .join(" ");
}

const talk = "ask conversation_info current_time read_attachment send_file";
const browsing = "browser_close browser_open browser_read browser_screenshot";
const reads = `ask ${browsing} ${talk.replace("ask ", "").replace(" send_file", "")} read_file recall search_conversations search_files send_file skill todo transcribe web_extract web_fetch web_search`;
/** Nobody is there who could have said something before. */
const readsOfRoutes = reads.replace(" recall search_conversations", "");

describe("the tools of a conversation", () => {
  it("are all of them in a direct one with a member or the owner", () => {
    const all =
      "ask browser_click browser_close browser_open browser_read browser_screenshot browser_type " +
      "conversation_info current_time edit_file execute_code find_conversations generate_image memory process read_attachment " +
      "read_file recall search_conversations search_files send_file send_message skill speak terminal todo transcribe web_extract web_fetch web_search write_file write_skill";
    assert.equal(names({}), all);
    assert.equal(names({ role: "owner" }), all);
  });

  it("promise nothing that one answer into a chat of strangers can't hold", () => {
    const called = { conversation: { ...group.conversation, guest: true as const } };
    assert.deepEqual(
      names({}, group)
        .split(" ")
        .filter((name) => !names(called, group).split(" ").includes(name)),
      ["ask", "memory", "recall", "search_conversations", "send_file", "write_skill"],
    );
  });

  it("stand in the README, each with its effect", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const rows = [...readme.matchAll(/^\|[^|]*\| `(\w+)`\s*\| (\w+)\s*\|/gm)].map(
      ([, name, effect]) => `${name} ${effect}`,
    );
    const secrets = [secretFor("ours", "member")];
    const all = [...everything(direct), ...createToolsets({ workspace: true, secrets })(direct)];
    assert.deepEqual(rows.toSorted(), [...new Set(all.map(({ name, effect }) => `${name} ${effect}`))].toSorted());
  });

  it("tell of secrets that the weakest may use, and of nobody's value", () => {
    const secrets = [secretFor("ours", "member"), secretFor("mine", "owner")];
    const told = (more: object, workspace = true) => {
      const tools = createToolsets({ workspace, secrets })({ ...direct, ...more });
      return tools
        .find(({ name }) => name === "run_with_secrets")
        ?.description.match(/secret:\w+/g)
        ?.join(" ");
    };
    assert.equal(told({ role: "owner" }), "secret:ours secret:mine");
    assert.equal(told({}), "secret:ours");
    for (const role of ["guest", "unverified"]) assert.equal(told({ role }), undefined);
    assert.equal(told({ ...group, role: "owner" }), undefined);
    assert.equal(told({ role: "owner" }, false), undefined);
    assert.ok(!names({}).includes("run_with_secrets"));
  });

  it("refuse a host that leads inside before anybody is asked", async () => {
    const powers = { workspace: true, secrets: [secretFor("ours", "member")] };
    const isClosedHost = async (host: string) => host.startsWith("inside.");
    const sets = createToolsets({ ...powers, isClosedHost });
    const tools = sets(direct);
    const obstacle = async (name: string, input: object) =>
      await tools.find((tool) => tool.name === name)?.obstacle?.(input, {} as never);
    const network = ["example.org", "inside.example.org"];
    const refused = /^inside\.example\.org was refused: that leads to this machine, .*sandbox\.network$/;
    for (const [name, input] of Object.entries({
      terminal: { command: "curl x" },
      process: { action: "start", command: "curl x" },
      execute_code: { code: "x" },
      run_with_secrets: { command: "x", secrets: ["ours"] },
    })) {
      assert.match((await obstacle(name, { ...input, network })) ?? "", refused, name);
      assert.equal(await obstacle(name, { ...input, network: ["example.org"] }), undefined, name);
      assert.equal(await obstacle(name, input), undefined, name);
    }
    assert.deepEqual(sets(direct), tools);
    assert.ok(sets(direct).every((tool, index) => tool === tools[index]));
  });

  it("let secrets be used where whoever asks may, by each tool that can", () => {
    const powers = { workspace: true, web: {}, secrets: [secretFor("ours", "member"), secretFor("mine", "owner")] };
    const takes = (more: object, own = powers) =>
      createToolsets(own)({ ...direct, ...more })
        .filter((tool) => /"secrets?":/.test(JSON.stringify(toolSpecs([tool]))))
        .map(({ name }) => name);
    assert.deepEqual(takes({}), ["execute_code", "web_fetch", "run_with_secrets"]);
    for (const nobody of [{ role: "guest" }, group, { conversation: { kind: "direct", platform: "webhook" } }])
      assert.deepEqual(takes(nobody), []);
    const elsewhere = powers.secrets.map((one) => ({ ...one, isForCommands: false }));
    assert.deepEqual(takes({}, { ...powers, secrets: elsewhere }), ["web_fetch"]);
    const fetched = (role: "owner" | "member") =>
      JSON.stringify(toolSpecs(createToolsets(powers)({ ...direct, role }).filter(({ name }) => name === "web_fetch")));
    assert.match(fetched("owner"), /"enum":\["ours","mine"\]/);
    assert.match(fetched("member"), /"enum":\["ours"\]/);
  });

  it("write nothing in groups, for webhooks and broadcasts, unless the account allows it by name", () => {
    assert.equal(names({}, group), `${reads.replace("read_attachment", "memory read_attachment")} write_skill`);
    assert.equal(names({ conversation: { kind: "direct", platform: "webhook" } }), readsOfRoutes);
    assert.equal(names({ conversation: { kind: "broadcast", platform: "slack" } }), reads);
    for (const { name, effect } of everything(group))
      assert.equal(effect, ["memory", "write_skill"].includes(name) ? "write" : "read");
    const allowed = names({ setting: { allow: ["terminal", "speak"] } }, group);
    for (const name of ["terminal", "process", "speak"]) assert.ok(allowed.split(" ").includes(name));
    assert.ok(!allowed.includes("write_file"));
  });

  it("are those that a webhook's route names which acts for an owner, and what talks and plans", () => {
    const route = { conversation: { kind: "direct", platform: "webhook" }, role: "owner" } as const;
    assert.equal(
      names({ ...route, only: ["terminal"] }),
      `${talk.replace("send_file", "process send_file")} terminal todo`.split(" ").toSorted().join(" "),
    );
    assert.equal(names({ ...route, only: [] }), `${talk} todo`);
    assert.equal(names(route), readsOfRoutes);
    assert.equal(names({ ...route, only: ["memory"] }), `${talk} todo`);
  });

  it("let guests talk and plan, and read what the account allows", () => {
    assert.equal(names({ role: "guest" }), `${talk} todo`);
    assert.equal(
      names({ role: "guest", setting: { allow: ["web", "terminal"] } }),
      `${talk} todo web_extract web_fetch web_search`,
    );
    assert.equal(names({ role: "unverified", setting: { allow: ["web", "plan"] } }), talk);
  });

  it("are never what the account denies", () => {
    assert.ok(!/web_|terminal/.test(names({ role: "owner", setting: { allow: ["web"], deny: ["web", "terminal"] } })));
  });

  it("are only what this installation has", () => {
    const few = createToolsets({ workspace: false })({
      conversation: direct.conversation,
      role: "owner",
    });
    assert.deepEqual(
      few.map(({ name }) => name),
      [
        "ask",
        "conversation_info",
        "current_time",
        "offer_choices",
        "read_attachment",
        "todo",
        "find_conversations",
        "send_message",
        "search_conversations",
      ],
    );
  });

  it("are the same objects each time, and each says what it touches and how long it may take", () => {
    const [once, again] = [everything(direct), everything(direct)];
    for (const [index, tool] of once.entries()) {
      assert.equal(tool, again[index]);
      assert.ok(tool.permissions.every((one) => permissions.includes(one)));
      assert.ok(tool.description.length > 60 && tool.description.length < 800, tool.name);
      const touchesOutside = tool.permissions.some(
        (one) => one.startsWith("fs.") || ["net", "exec", "spend"].includes(one),
      );
      if (tool.permissions.some((one) => one.startsWith("fs.") || one === "net" || one === "exec")) {
        assert.ok(tool.targets !== undefined, `${tool.name} says nothing of what a call touches`);
      }
      if (touchesOutside) assert.ok((tool.timeoutMs ?? 0) > 0, tool.name);
    }
  });
});
