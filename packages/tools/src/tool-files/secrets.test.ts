import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { type SecretHost, startSecretHost, trustedLocalhost } from "@talaria/testkit";
import { askedBy, canary, secretFor } from "../testing/secret-for.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { createGuardedFetch } from "../web/guarded-fetch.ts";
import { createToolFiles, type ToolFiles } from "./create-tool-files.ts";

const loopback = { permits: () => true, resolve: async () => [{ address: "127.0.0.1", family: 4 }] };

describe("the secrets of a tool file", () => {
  let folder: string;
  let host: SecretHost;
  let other: SecretHost;
  let files: ToolFiles;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tool-secrets-"));
    const identity = await trustedLocalhost(folder);
    const echo = () =>
      startSecretHost(identity, ({ headers }, response) =>
        response
          .writeHead(200, { "content-type": `text/plain; x=${headers.authorization?.join() ?? ""}` })
          .end(JSON.stringify(headers)),
      );
    [host, other] = await Promise.all([echo(), echo()]);
    const fetch = [host, other].map(({ port }) => `"https://localhost:${port}/"`).join(", ");
    const define = (name: string, handles: string, run: string) =>
      writeFile(
        join(folder, `${name}.ts`),
        `let kept; export default { name: "${name}", description: "x", input: { type: "object" }, effect: "read", handles: { ${handles} }, run: ${run} };`,
      );
    const own = `fetch: [${fetch}]`;
    const use = `async ({ url, headers, again }, { fetch, secrets }) => {
      const handle = again ? kept : secrets.ours; kept = handle;
      const all = { authorization: "Bearer " + handle, ...headers };
      const came = await fetch(url, { headers: all });
      return JSON.stringify([handle, came, came.text(), Object.keys(secrets), secrets.mine, process.env]);
    }`;
    await define("uses", `${own}, secrets: ["ours"]`, use);
    await define("undeclared", own, use);
    await define("unknown", `${own}, secrets: ["theirs"]`, use);
    await define("strange", `${own}, secrets: ["__proto__"]`, use);
    await define("webless", 'secrets: ["ours"]', use);
    files = createToolFiles({
      ...{ folder, clock: systemClock, log: silentLog, patienceMs: 600_000 },
      fetch: createGuardedFetch(loopback),
      secrets: [
        secretFor("ours", "member", [`localhost:${host.port}`]),
        secretFor("mine", "owner", [`localhost:${host.port}`]),
      ],
    });
  });
  after(async () => {
    await files?.stop();
    await Promise.all([host?.close(), other?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const at = ({ port }: SecretHost) => `https://localhost:${port}/`;
  async function use(input: object, role: "owner" | "member" | "guest" = "member", name = "uses") {
    const tool = (await files.tools(new Set())).find((one) => one.name === name);
    assert.ok(tool, JSON.stringify(files.problems));
    const came = await call(tool, input, contextOf(askedBy(role))).catch((error: Error) => error);
    const all = came instanceof Error ? `${came.message}${came.stack}` : JSON.stringify(came);
    assert.ok(!all.includes(canary), all);
    if (came instanceof Error) throw came;
    return came.content;
  }

  it("go to their hosts in their header, and into the tool's process never", async () => {
    host.asked.length = 0;
    const shown = await use({ url: at(host) });
    assert.match(shown, /^\["secret-ours-[0-9a-f]{36}"/);
    assert.match(shown, /Bearer \*{30}/);
    assert.match(shown, /\["ours"\],null/);
    await use({ url: at(host), headers: { "x-other": "no" } });
    await use({ url: at(other) });
    await use({ url: at(host), again: true });
    const sent = host.asked.map(({ headers }) => headers.authorization?.join());
    assert.deepEqual(sent.slice(0, 2), [`Bearer ${canary}`, `Bearer ${canary}`]);
    assert.ok(!JSON.stringify([host.asked[2], other.asked]).includes(canary), "a handle is good for its own call");
    assert.deepEqual(other.asked[0]?.headers.authorization, undefined);
    await assert.rejects(use({ url: at(host), headers: { host: "evil.example.org" } }), /can't name another host/);
  });

  it("are for those who may use them, and told to policy", async () => {
    await assert.rejects(use({ url: at(host) }, "guest"), (error) => isGatewayError(error, "forbidden"));
    const tool = (await files.tools(new Set())).find(({ name }) => name === "uses");
    assert.deepEqual(tool?.permissions, ["net", "secret"]);
    assert.deepEqual(tool?.targets?.({}).at(-1), { kind: "secret", name: "ours", hosts: [`localhost:${host.port}`] });
  });

  it("have to be declared, to exist, and to have a way out", async () => {
    await assert.rejects(use({ url: at(host) }, "owner", "undeclared"), /context.secrets is not declared: add/);
    const problems = new Map(files.problems.map(({ file, problem }) => [file, problem]));
    assert.match(problems.get("unknown.ts") ?? "", /there is no secret called theirs: name it in `sandbox.secrets`/);
    assert.match(problems.get("strange.ts") ?? "", /expected the name of a secret/);
    assert.match(problems.get("webless.ts") ?? "", /needs `fetch`/);
  });
});
