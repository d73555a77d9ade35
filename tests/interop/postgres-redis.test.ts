import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { redisAvailable, say, startModelServer, startRedisServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";
import { withRoom } from "../support/with-room.ts";
import { startSystemPostgres, systemPostgresVersion } from "./debian-postgres.ts";
import { FleetProcess } from "./fleet-process.ts";

const version = systemPostgresVersion();
const missing = [
  version === undefined ? "PostgreSQL from the system's packages" : "",
  (await redisAvailable()) ? "" : "redis-server",
].filter((peer) => peer !== "");
const skip = missing.length > 0 && process.env.CI !== "true" ? `needs ${missing.join(" and ")}` : false;

describe("a fleet on the system's own PostgreSQL and Redis", { skip }, () => {
  it("answers, also after the database was restarted and Redis was wiped", async () => {
    assert.deepEqual(missing, [], "a peer is missing");
    await using postgres = await startSystemPostgres(version ?? "");
    await using redis = await startRedisServer();
    await using telegram = await startTelegramServer();
    await using model = await startModelServer({ respond: (request) => say(`answer to ${request.lastUserText}`) });
    const home = await mkdtemp(join(tmpdir(), "talaria-fleet-"));
    const port = await freePort();
    await writeFile(
      join(home, "config.yaml"),
      withRoom(`
gateway: { port: ${port} }
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: interop-key-0001, model: test } }
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`),
    );
    const env = { TALARIA_HOME: home, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const migrations = [new FleetProcess("migrate", env), new FleetProcess("migrate", env)];
    for (const migration of migrations) assert.equal(await migration.ended(), 0, migration.output);

    await using gateway = new FleetProcess("gateway", env);
    await using first = new FleetProcess("worker", env);
    await using second = new FleetProcess("worker", env);
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok;
    await waitFor(ready, "a ready gateway").catch((error: unknown) => {
      throw new Error([gateway, first, second].map(({ output }) => output).join("\n"), { cause: error });
    });

    const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
    const ask = async (text: string) => {
      chat.say(chat.person, text);
      await chat.waitForBotMessage(`answer to ${text}`);
    };
    await ask("one");
    await postgres.restart();
    await ask("two");
    await redis.kill();
    await redis.restart();
    await ask("three");
    const answers = chat.botMessages().map(({ text }) => text);
    assert.deepEqual(answers, ["answer to one", "answer to two", "answer to three"]);
    await rm(home, { recursive: true, force: true });
  });
});
