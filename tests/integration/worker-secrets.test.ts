import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { asRole } from "@talaria/store";
import pg from "pg";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const bot = "700000021:Bqk3vXw9TzP4";
const secrets = {
  TELEGRAM_TOKEN: bot,
  HOOK_SECRET: randomBytes(24).toString("base64url"),
  API_TOKEN: randomBytes(24).toString("base64url"),
  UNRELATED: randomBytes(24).toString("base64url"),
};
const modelHeader = "variable-that-a-model-names";

describe("a worker", () => {
  let world: World;
  let database: string;

  before(async () => {
    world = await startWorld({
      database: "embedded",
      telegram: { bots: [{ token: bot }] },
      env: { ...secrets, MODEL_NAME: modelHeader },
      config: (telegram) => `
auth: { token: "\${API_TOKEN}" }
agent: { instructions: "\${MODEL_NAME}" }
accounts:
  bot: { platform: telegram, token: "\${TELEGRAM_TOKEN}", apiRoot: "${telegram.apiRoot}" }
webhooks:
  ci: { scheme: token, header: x-token, secret: "\${HOOK_SECRET}", prompt: "built", wait: true }`,
    });
    world.talaria.token = secrets.API_TOKEN;
    database = (await readFile(join(world.talaria.home, "database.url"), "utf8")).trim();
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  /** Every secret but its own: what the gateway holds, and the keys to the rest of the installation. */
  async function others(): Promise<readonly string[]> {
    const password = decodeURIComponent(new URL(database).password);
    const gateway = new URL((await asRole(database, "gateway")).url).password;
    const key = await readFile(join(world.talaria.home, "secret.key"));
    return [
      ...Object.values(secrets),
      password,
      gateway,
      key.toString("base64"),
      key.toString("hex"),
      key.toString().trim(),
    ];
  }

  async function environmentOf(kind: "gateway" | "worker"): Promise<{ pid: number; text: string }> {
    const found = (await world.talaria.processes()).find((one) => one.kind === kind);
    assert.ok(found, `no ${kind} runs`);
    return { pid: found.pid, text: await readFile(`/proc/${found.pid}/environ`, "utf8") };
  }

  const onLinux = process.platform === "linux" ? false : "needs /proc";

  it("has no other secret in its environment, at first and after a restart", { skip: onLinux }, async () => {
    assert.ok((await environmentOf("gateway")).text.includes(bot), "the test looks where secrets are");
    const first = await environmentOf("worker");
    process.kill(first.pid, "SIGKILL");
    const second = await waitFor(async () => {
      const now = await environmentOf("worker").catch(() => undefined);
      return now !== undefined && now.pid !== first.pid ? now : undefined;
    }, "the next worker");
    for (const { text } of [first, second])
      for (const secret of await others())
        assert.ok(!text.includes(secret), `${secret.slice(0, 12)}... is in the environment`);
    assert.ok(second.text.includes(modelHeader), "what its part of the configuration names reaches it");
  });

  it("reads no other secret in the database, and neither pairings nor adapter state", async () => {
    const { url, isOwn } = await asRole(database, "worker");
    assert.equal(isOwn, true);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows: tables } = await client.query(
        "select oid::regclass::text as name from pg_class where relkind in ('r', 'v', 'm') and relnamespace in ('talaria'::regnamespace, 'talaria_queue'::regnamespace)",
      );
      const read: string[] = [];
      const secret = await others();
      for (const { name } of tables) {
        const found = await client.query(`select to_jsonb(t)::text as row from ${name} as t`).catch(() => undefined);
        if (found === undefined) continue;
        read.push(name);
        for (const { row } of found.rows)
          for (const one of secret) assert.ok(!row.includes(one), `${name} holds a secret`);
      }
      assert.ok(read.includes("talaria.inbox"));
      for (const closed of ["talaria.adapter_state", "talaria.pairing", "talaria.overheard"])
        assert.ok(!read.includes(closed), `${closed} can be read`);
    } finally {
      await client.end();
    }
  });

  for (const role of ["gateway", "worker"] as const)
    it(`and a gateway have roles without the rights of a superuser: ${role}`, async () => {
      const client = new pg.Client({ connectionString: (await asRole(database, role)).url });
      await client.connect();
      try {
        const { rows } = await client.query(
          "select rolsuper, rolcreaterole, rolcreatedb, rolname from pg_roles where rolname = current_user",
        );
        assert.deepEqual(rows, [
          { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolname: `talaria_${role}` },
        ]);
        for (const statement of [
          "create table talaria.mine (a int)",
          "create schema mine",
          "drop table talaria.inbox",
          "alter table talaria.inbox add column mine int",
          "copy talaria.total to program 'true'",
          "set role talaria",
        ])
          await assert.rejects(client.query(statement), /permission denied|must be owner|must be superuser/, statement);
      } finally {
        await client.end();
      }
    });

  it("answers all the same", async () => {
    await world.talaria.say("direct", "are you there?");
    await world.talaria.waitForLine("direct", /are you there/);
  });
});
