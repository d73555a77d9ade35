import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import type { ModelEvent } from "@talaria/agent";
import { type Log, silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "@talaria/sandbox";
import { startSecretHost, trustedLocalhost } from "@talaria/testkit";
import { createToolsets } from "@talaria/tools";
import { createTestStore, ScriptedModel, says, Talk, TestWorker } from "../../apps/worker/src/worker.fixture.ts";
import { query } from "../../packages/postgres/src/database.ts";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";

const value = "canary/+value=0123456789abcdef";

it("a turn that uses a secret leaves its value in no table, no log line and no request to the model", {
  skip: skipWithoutPeers(process.env.CI),
}, async (t) => {
  const base = await mkdtemp(join(tmpdir(), "talaria-turn-secrets-"));
  t.after(() => rm(base, { recursive: true, force: true }));
  await chmod(base, 0o711);
  const identity = await trustedLocalhost(base);
  const host = await startSecretHost(identity, ({ headers }, response) => response.end(JSON.stringify(headers)));
  t.after(() => host.close());
  await using test = await createTestStore();
  const lines: string[] = [];
  const write = (fields: unknown, text?: string) => lines.push(JSON.stringify([fields, text]));
  const log: Log = { ...silentLog, debug: write, info: write, warn: write, error: write, child: () => log };
  const own = { name: "github", hosts: [`localhost:${host.port}`], header: "authorization" };
  const sandbox = createSandbox(
    {
      ...{ backend: "sandbox", folder: join(base, "w"), network: { allow: own.hosts } },
      secrets: [{ ...own, value, template: "Bearer {value}" }],
    },
    { clock: systemClock, log },
  );
  assert.deepEqual((await sandbox.start()).reasons, []);
  t.after(() => sandbox.stop());

  const command = `unset NO_PROXY no_proxy; curl -sS -H "Authorization: Bearer $TALARIA_SECRET_GITHUB" https://localhost:${host.port}/ | tee answer; env; false`;
  const model = new ScriptedModel(asks("run_with_secrets", { command, secrets: ["github"] }), says("It is done."));
  const talk = new Talk(test);
  await talk.say("use it");
  const tools = createToolsets({
    workspace: true,
    secrets: [{ ...own, role: "member", isForCommands: true, handOut: assert.fail }],
  })({
    ...{ conversation: { kind: "direct", platform: "telegram" }, role: "member" },
  });
  const openWorkspace = () => sandbox.open("a");
  await (await TestWorker.start(test, model, { tools, openWorkspace, log, maxToolOutputChars: 20_000 })).run(talk.key);

  assert.deepEqual(host.asked[0]?.headers.authorization, [`Bearer ${value}`]);
  const shown = JSON.stringify(model.requests);
  assert.match(shown, /Bearer \*{30}/);
  assert.match(shown, /TALARIA_SECRET_GITHUB=secret-github-/);
  const tables = await query(
    test.url,
    "select schemaname, tablename from pg_tables where schemaname !~ '^(pg_|information)'",
  );
  const dumps = await Promise.all(
    tables.map(async (table) => {
      const { schemaname, tablename } = table as { schemaname: string; tablename: string };
      return JSON.stringify(await query(test.url, `select t::text from "${schemaname}"."${tablename}" t`));
    }),
  );
  const everything = [shown, ...lines, ...dumps].join("\n");
  assert.match(dumps.join(), /secret-github-/);
  for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString("base64"), "canary"])
    assert.ok(!everything.includes(form), form);
});

function asks(name: string, input: object): readonly ModelEvent[] {
  const toolCalls = [{ callId: "c1", name, arguments: JSON.stringify(input) }];
  return [
    { type: "done", message: { role: "assistant", content: "", toolCalls }, stop: "tool_calls", servedBy: "scripted" },
  ];
}
