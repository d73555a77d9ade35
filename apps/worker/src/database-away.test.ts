import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { defineTool } from "@talaria/agent";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@talaria/postgres";
import { isRunning } from "@talaria/postgres/process-info";
import { permissions, silentLog, systemClock } from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import { z } from "zod";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { calls, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

const commands = 6;

describe("a database that is away for a moment", () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let store: Store;
  let test: TestStore;
  const begin = () =>
    startEmbeddedPostgres({ dataDir: join(folder, "data"), cacheDir: join(folder, "cache"), log: () => undefined });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-postgres-"));
    server = await begin();
    await migrate(server.url, silentLog);
    store = createStore({ url: server.url, log: silentLog, clock: systemClock, maxConnections: 6 });
    test = { store, url: server.url, [Symbol.asyncDispose]: async () => undefined };
  });
  after(async () => {
    await store.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** As `pg_ctl stop -m immediate` does: every connection is cut, and what was not committed is undone. */
  async function end(): Promise<void> {
    process.kill(server.pid, "SIGQUIT");
    await waitFor(async () => !(await isRunning(server.pid)), "the end of the server");
  }

  it("costs no command whose end was seen, and no step of the model", async () => {
    let ran = 0;
    const [allRan, away] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const command = defineTool({
      name: "command",
      description: "command",
      effect: "write",
      permissions: [permissions[0]],
      input: z.strictObject({}),
      execute: async () => {
        ran += 1;
        if (ran === commands) allRan.resolve();
        await away.promise;
        return { content: "the command has ended" };
      },
    });
    const talks = Array.from({ length: commands }, () => new Talk(test));
    const models = talks.map(() => new ScriptedModel(calls("command"), says("done")));
    const running = talks.map(async (talk, index) => {
      const model = models[index];
      assert.ok(model);
      const worker = await TestWorker.start(test, model, { tools: [command] });
      await talk.say("run it");
      await worker.run(talk.key);
    });
    await allRan.promise;
    await end();
    away.resolve();
    // Each has tried to write its result by then, and found nobody.
    await systemClock.sleep(300);
    server = await begin();
    await Promise.all(running);
    for (const [index, talk] of talks.entries()) {
      assert.deepEqual(await talk.texts(), ["done"]);
      const asked = models[index]?.requests ?? [];
      assert.equal(asked.length, 2, "no step is asked again");
      const said = JSON.stringify(asked.at(-1));
      assert.match(said, /the command has ended/);
      assert.doesNotMatch(said, /UNKNOWN|database/i);
    }
    assert.equal(ran, commands);
  });

  it("costs no answer that has just been given", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(async function* () {
      yield* says("half of ");
      await end();
      void systemClock.sleep(300).then(async () => {
        server = await begin();
      });
    });
    const worker = await TestWorker.start(test, model);
    await talk.say("hello");
    await worker.run(talk.key);
    assert.deepEqual(await talk.texts(), ["half of "]);
    assert.equal(model.requests.length, 1);
  });
});
