import assert from "node:assert/strict";
import { chmod, copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Workspace } from "@talaria/agent";
import { isGatewayError, type Role, silentLog, systemClock } from "@talaria/protocol";
import { createSandbox, type Sandbox } from "@talaria/sandbox";
import { type SecretHost, startSecretHost, trustedLocalhost } from "@talaria/testkit";
import { skipWithoutPeers } from "../../../sandbox/src/missing-peers.fixture.ts";
import { askedBy, canary, secretFor } from "../testing/secret-for.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { createExecuteCode } from "./execute-code.ts";

describe("code with a network", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;
  let sandbox: Sandbox;
  let workspace: Workspace;
  /** The secret is for this one. */
  let host: SecretHost;
  let other: SecretHost;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-code-"));
    await chmod(base, 0o711);
    await mkdir(join(base, "bin"));
    await copyFile(process.execPath, join(base, "bin", "node"));
    const identity = await trustedLocalhost(base);
    const echo = startSecretHost.bind(undefined, identity, ({ path, headers }, response) => {
      if (path === "/away") response.writeHead(302, { location: `https://localhost:${other.port}/` }).end();
      else response.end(JSON.stringify(headers));
    });
    [host, other] = await Promise.all([echo(), echo()]);
    const allow = [`localhost:${host.port}`, `localhost:${other.port}`];
    const secret = { name: "ours", value: canary, header: "authorization", template: "Bearer {value}" };
    sandbox = createSandbox(
      {
        ...{
          backend: "sandbox",
          folder: join(base, "w"),
          network: { allow },
          readable: [dirname(join(base, "bin", "x"))],
        },
        secrets: [{ ...secret, hosts: [`localhost:${host.port}`] }],
      },
      { clock: systemClock, log: silentLog },
    );
    assert.deepEqual((await sandbox.start()).reasons, []);
    workspace = await sandbox.open("a");
  });
  after(async () => {
    await sandbox?.stop();
    await Promise.all([host?.close(), other?.close()]);
    await rm(base, { recursive: true, force: true });
  });
  beforeEach(() => {
    host.asked.length = 0;
    other.asked.length = 0;
  });

  /** Programs reach hosts called localhost without a proxy unless they are told. */
  const opening = `import os, urllib.request, base64
for name in ("NO_PROXY", "no_proxy"): os.environ.pop(name, None)
H = os.environ.get("TALARIA_SECRET_OURS", "")
def get(url, **headers):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers)).read().decode()
    except Exception as e:
        return "failed: " + str(e)
`;

  async function run(code: string, more: object = {}, role: Role = "member") {
    const tool = createExecuteCode([
      secretFor("ours", "member", [`localhost:${host.port}`]),
      secretFor("mine", "owner", [`localhost:${host.port}`]),
    ]);
    const context = contextOf({ ...askedBy(role), workspace, call: async () => assert.fail("it calls nothing") });
    const result = await call(tool, { language: "python", code: opening + code, ...more }, context);
    assert.ok(!JSON.stringify(result).includes(canary), JSON.stringify(result));
    return result;
  }
  const at = ({ port }: SecretHost, path = "/") => `"https://localhost:${port}${path}"`;
  const sent = ({ asked }: SecretHost) => asked.map(({ headers }) => headers.authorization?.join());

  it("reaches the hosts that it names and no others, and is told which to name", async () => {
    const { content, untrusted } = await run(`print(get(${at(other)}))`);
    assert.match(content, /failed: .*\n\[exit code 0[^\n]*\n\[localhost:\d+ was refused/);
    assert.deepEqual([untrusted, other.asked], [undefined, []]);
    assert.deepEqual(await run("print(1 + 1, H == '')").then(({ content: text }) => text.split("\n")[0]), "2 True");
  });

  it("has a secret at its host alone, and never its value, however it is printed", async () => {
    const prints = `came = get(${at(host)}, Authorization="Bearer " + H)
print(came); print("|".join(came)); print(base64.b64encode(came.encode()).decode()); print(came[::-1])
print(get(${at(host, "/away")}, Authorization="Bearer " + H)); print(sorted(os.environ.items()))`;
    const { content, untrusted } = await run(prints, { secrets: ["ours"] });
    for (const shown of [canary, [...canary].join("|"), [...canary].toReversed().join("")])
      assert.ok(!content.includes(shown), content);
    assert.match(content, /Bearer \*{30}/);
    assert.deepEqual(sent(host), [`Bearer ${canary}`, `Bearer ${canary}`]);
    assert.deepEqual([untrusted, other.asked], [true, []]);
  });

  it("has it in Node.js, too", async () => {
    const code = `const { TALARIA_SECRET_OURS: handle } = process.env;
console.log(handle.startsWith("secret-ours-"), Object.keys(process.env).includes("TALARIA_SECRET_MINE"));`;
    const tool = createExecuteCode([secretFor("ours", "member", [`localhost:${host.port}`])]);
    const context = contextOf({ ...askedBy("member"), workspace, call: async () => assert.fail() });
    const { content } = await call(tool, { language: "node", code, secrets: ["ours"] }, context);
    assert.match(content, /^true false\n/);
  });

  it("gets no secret that is not for all who ask, and none that there isn't", async () => {
    for (const [secrets, role] of [
      [["ours"], "guest"],
      [["mine"], "member"],
      [["ours", "mine"], "member"],
    ] as const)
      await assert.rejects(run("print(1)", { secrets }, role), (error) => isGatewayError(error, "forbidden"));
    for (const name of ["theirs", "__proto__", "constructor"])
      await assert.rejects(run("print(1)", { secrets: [name] }));
    for (const name of ["10.0.0.1", "*.example.org", "localhost"])
      await assert.rejects(run("print(1)", { network: [name] }), /must be/);
  });

  it("tells policy the hosts and the secrets, as a command does", () => {
    const tool = createExecuteCode([secretFor("ours", "member")]);
    const asked = { language: "python", code: "x", network: ["pypi.org"], secrets: ["ours"], timeoutSeconds: 1 };
    assert.deepEqual(tool.targets?.(asked), [
      { kind: "url", url: "https://pypi.org/", sendsBody: true, isKnown: true, host: "pypi.org" },
      { kind: "command", command: "x", isSandboxed: false, hasNetwork: true, hosts: ["pypi.org"] },
      { kind: "url", url: "https://api.example.org/", sendsBody: true, isKnown: true, host: "api.example.org" },
      { kind: "secret", name: "ours", hosts: ["api.example.org"] },
    ]);
  });
});
