import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadConfig } from "@talaria/config";
import { policyTable } from "@talaria/policy";

import { knownTool } from "./known-tool.ts";

import { explanation, requestFor } from "./policy.ts";

const table = policyTable({
  rules: [
    { allow: "our API", permission: "net", target: "https://api.example.com/v1/*" },
    { deny: "no posts", permission: "net", outward: true },
  ],
  trusted: [],
});

const post = { permission: "net", outward: true, target: "https://api.example.com/v1/x" };

describe("talaria policy explain", () => {
  it("says the decision, its rule, and the rules that lost", () => {
    assert.deepEqual(explanation(requestFor("web_post", post), table), [
      "web_post for a member in a direct conversation: allowed.",
      "",
      'net "https://api.example.com/v1/x": allowed by policy.rules.0: our API',
      "  not counted: policy.rules.1 (deny), since it is less specific: no posts",
      "  not counted: default.net.3.member (ask), since your own rules go before the defaults: What is sent into the network needs somebody who agrees.",
    ]);
  });

  it("says what taint changes, and who has to agree", () => {
    const [first, , second, third] = explanation(
      requestFor("web_post", { ...post, tainted: true, as: "owner" }),
      table,
    );
    assert.equal(
      first,
      "web_post for an owner in a direct conversation, after untrusted content: asked, and an owner has to agree.",
    );
    assert.match(second ?? "", /asked by taint/);
    assert.match(third ?? "", /policy.rules.0 \(allow\), since untrusted content has entered/);
  });

  it("says who has to agree to the hosts that a command names, and which are open", () => {
    const options = { target: "npm install", network: "registry.npmjs.org, a.example.org:8443", as: "owner" };
    const lines = explanation(
      requestFor("terminal", options, {}, ["registry.npmjs.org"]),
      policyTable({ rules: [], trusted: [] }),
    );
    assert.equal(lines[0], "terminal for an owner in a direct conversation: asked, and an owner has to agree.");
    assert.match(lines.join("\n"), /net "registry\.npmjs\.org": allowed by default\.net\.5: `sandbox\.network` opens/);
    assert.match(lines.join("\n"), /net "a\.example\.org:8443": asked by default\.net\.4\.owner/);
    assert.match(lines.join("\n"), /exec "npm install": allowed by default\.exec\.5/);
    assert.throws(
      () => requestFor("terminal", { network: "10.0.0.1" }),
      /--network: "10\.0\.0\.1" must be a host name/,
    );
    assert.throws(() => requestFor("web_fetch", { network: "a.org" }), /goes with a tool that runs commands/);
  });

  it("knows what built-in tools touch", () => {
    assert.deepEqual(requestFor("send_file", { in: "group" }), {
      tool: "send_file",
      effect: "read",
      permissions: ["send", "fs.read"],
      targets: [{ kind: "path", path: "", isInWorkspace: true }],
      place: "group",
      role: "member",
      isTainted: false,
    });
  });

  it("knows the tools of every toolset, whatever this installation has", () => {
    const names = ["terminal", "write_file", "execute_code", "web_fetch", "browser_open", "speak", "run_with_secrets"];
    for (const name of [...names, "send_message", "ask", "todo"]) assert.equal(requestFor(name, {}).tool, name);
    assert.equal(requestFor("terminal", {}).effect, "write");
    assert.throws(() => requestFor("shell", {}), /"shell" is not built in: say what it touches with --permission/);
  });

  it("means any command in the sandbox unless told more", () => {
    const line = (options: Parameters<typeof requestFor>[1]) => explanation(requestFor("terminal", options), table)[0];
    assert.equal(line({}), "terminal for a member in a direct conversation: asked, and an owner has to agree.");
    assert.equal(line({ as: "owner" }), "terminal for an owner in a direct conversation: allowed.");
    assert.equal(
      line({ as: "owner", outside: true }),
      "terminal for an owner in a direct conversation: asked, and an owner has to agree.",
    );
    assert.equal(line({ as: "owner", target: "rm -rf /" }), "terminal for an owner in a direct conversation: denied.");
    assert.equal(
      line({ as: "unverified", in: "webhook" }),
      "terminal for somebody unverified in a webhook's turn: denied.",
    );
  });

  it("knows tools of MCP servers by the configuration alone", async () => {
    const yaml = `
mcp: { servers: { desk: { url: "https://desk.example.org/mcp", reads: [look], tools: [look, pay, "close issue"] } } }
policy: { rules: [{ allow: ours, tool: mcp_desk_look }, { allow: ours, tool: "mcp_desk_close*", in: group }] }`;
    const lines = async (tool: string, options: Parameters<typeof requestFor>[1] = {}) =>
      await explained(yaml, tool, options);
    assert.deepEqual(await lines("mcp_desk_pay"), [
      "mcp_desk_pay for a member in a direct conversation, after untrusted content: asked, and a member has to agree.",
      "It changes something, since mcp.servers.desk.reads does not name pay.",
      "Untrusted content is what the MCP servers desk say of their tools, unless policy.trusted names them.",
      "",
      'net "https://desk.example.org/mcp": asked by default.net.3.member: What is sent into the network needs somebody who agrees.',
    ]);
    const [look, nature] = await lines("mcp_desk_look");
    assert.equal(look, "mcp_desk_look for a member in a direct conversation: allowed.");
    assert.match(
      nature ?? "",
      /^It only looks, since mcp.servers.desk.reads names look; unless the server itself says/,
    );
    assert.match((await lines("mcp_desk_look", { target: "file:///etc/passwd" }))[0] ?? "", /: denied\.$/);
    const closing = await lines("mcp_desk_close_issue_b2aba0a7", { in: "group" });
    assert.match(closing.join("\n"), /: asked, .*\n.* does not name close issue\./);
    const group = await lines("mcp_desk_pay", { in: "group" });
    assert.match(
      group.join("\n"),
      /^mcp_desk_pay for a member in a group, .*: not offered to the agent\.\n(?:.*\n)*.*says `in`/,
    );
    assert.match((await lines("mcp_desk_send"))[2] ?? "", /^mcp\.servers\.desk\.tools does not name it\.$/);
    await assert.rejects(lines("mcp_shop_pay"), /mcp\.servers has no server called shop/);
    await assert.rejects(lines("mcp_desk_pay", { target: "https://example.org" }), /leave out --target/);
  });

  it("says which tools are not there, whatever rules say of them", async () => {
    const yaml = `policy: { rules: [{ allow: yes, tool: terminal, in: group }, { allow: ours, tool: notes, in: group }] }`;
    const [terminal, why] = await explained(yaml, "terminal", { in: "group" });
    assert.equal(terminal, "terminal for a member in a group: not offered to the agent.");
    assert.match(why ?? "", /docs\/tools\.md/);
    const notes = { permission: "fs.write", in: "group" };
    assert.deepEqual((await explained(yaml, "notes", notes))[0], "notes for a member in a group: allowed.");
    assert.match((await explained(yaml, "letters", notes))[0] ?? "", /: not offered to the agent\.$/);
  });

  it("tells each act once", async () => {
    const lines = (await explained("policy: {}", "write_file", { target: "x.txt" })).filter((line) => line !== "");
    assert.equal(new Set(lines).size, lines.length);
  });

  it("refuses words that mean nothing, with those that do", () => {
    assert.throws(() => requestFor("foo", {}), /"foo" is not built in: say what it touches with --permission/);
    assert.throws(() => requestFor("foo", { permission: "nett" }), /--permission has to be one of conversation.read, /);
    assert.throws(
      () => requestFor("foo", { permission: "net", as: "admin" }),
      /--as has to be one of unverified, guest, member, owner/,
    );
    assert.throws(
      () => requestFor("foo", { permission: "net", in: "room" }),
      /--in has to be one of direct, group, webhook/,
    );
  });

  it("reads the rules of a configuration file, and starts nothing", async () => {
    const dir = await mkdtemp(join(tmpdir(), "policy-"));
    const file = join(dir, "config.yaml");
    const main = fileURLToPath(new URL("../main.ts", import.meta.url));
    try {
      await writeFile(file, "policy: { rules: [{ deny: not here, tool: send_file }] }\n");
      const words = [main, "policy", "explain", "send_file", "--as", "owner", "--config", file, "--home", dir];
      const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 120_000 });
      assert.match(
        stdout,
        /^send_file for an owner in a direct conversation: denied\.\n\nsend: denied by policy\.rules\.0: not here\n/,
      );
      const { stdout: json } = await promisify(execFile)(process.execPath, [...words, "--json"], { timeout: 120_000 });
      assert.equal(JSON.parse(json).decision.decision, "deny");
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

async function explained(yaml: string, tool: string, options: Parameters<typeof requestFor>[1]) {
  const models = 'models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:1", apiKey: k, model: m } }';
  const { config } = loadConfig(`${models}\n${yaml}`, { file: "explain.yaml", env: {} });
  const known = await knownTool(tool, config, (own) => requestFor(tool, options, own));
  return explanation(requestFor(tool, options, known), policyTable(config.policy), known);
}
