import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { policyTable } from "@talaria/policy";
import { notOffered } from "./not-offered.ts";
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

  it("knows what built-in tools touch", () => {
    assert.deepEqual(requestFor("send_file", { in: "group", as: "guest" }), {
      tool: "send_file",
      effect: "read",
      permissions: ["send"],
      targets: [],
      place: "group",
      role: "guest",
      isTainted: false,
    });
  });

  it("knows the tools of every toolset, whatever this installation has", () => {
    const names = ["terminal", "write_file", "execute_code", "web_fetch", "browser_open", "speak", "run_with_secrets"];
    for (const name of [...names, "send_message", "ask", "todo"]) assert.equal(requestFor(name, {}).tool, name);
    assert.equal(requestFor("terminal", {}).effect, "write");
    assert.throws(() => requestFor("shell", {}), /shell is not built in: say what it touches with --permission/);
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

  it("tells each act once, and where nobody has the tool", () => {
    const lines = explanation(requestFor("write_file", { target: "x.txt" }), table);
    assert.equal(new Set(lines.filter((line) => line !== "")).size, lines.filter((line) => line !== "").length);
    const said = (tool: string, options: Parameters<typeof requestFor>[1]) =>
      notOffered(requestFor(tool, options)).join("");
    assert.match(
      said("write_file", { in: "group" }),
      /nobody like that has write_file there, unless the account allows/,
    );
    assert.match(said("write_file", { as: "guest" }), /nobody like that has write_file there: what/);
    for (const options of [{}, { as: "owner" }]) assert.equal(said("write_file", options), "");
    assert.equal(said("read_file", { in: "group" }), "");
    assert.equal(said("foo", { permission: "net", in: "group" }), "");
  });

  it("refuses words that mean nothing, with those that do", () => {
    assert.throws(() => requestFor("foo", {}), /foo is not built in: say what it touches with --permission/);
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
      const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 60_000 });
      assert.match(
        stdout,
        /^send_file for an owner in a direct conversation: denied\.\n\nsend: denied by policy\.rules\.0: not here\n/,
      );
      const { stdout: json } = await promisify(execFile)(process.execPath, [...words, "--json"], { timeout: 60_000 });
      assert.equal(JSON.parse(json).decision.decision, "deny");
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
