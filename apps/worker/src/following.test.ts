import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { defineTool } from "@talaria/agent";
import { brandAs, isGatewayError, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import { createSandbox, type Sandbox } from "@talaria/sandbox";
import { z } from "zod";
import { createFollowing, placeOf } from "./following.ts";
import { calls, createTestStore, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

const limits = {};

describe("the files of a session", () => {
  let test: TestStore;
  const folders: string[] = [];
  const sandboxes: Sandbox[] = [];
  const workers: ProcessId[] = [];
  let later = 0;
  before(async () => {
    test = await createTestStore();
  });
  afterEach(async () => {
    await Promise.all(sandboxes.splice(0).map((one) => one.stop()));
    await Promise.all(workers.splice(0).map((id) => test.store.processes.retire(id)));
    await Promise.all(folders.splice(0).map((one) => rm(one, { recursive: true, force: true })));
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** A worker with a folder of its own, or with that of another one. `does` says a message, and gives what its command printed. */
  async function workerWith(folder?: string) {
    const own = folder ?? (await mkdtemp(join(tmpdir(), "talaria-follow-")));
    if (folder === undefined) folders.push(own);
    const sandbox = createSandbox(
      { backend: "local", folder: own, limits, unsafe: true },
      { clock: systemClock, log: silentLog },
    );
    sandboxes.push(sandbox);
    assert.deepEqual((await sandbox.start()).reasons, []);
    const place = await placeOf(own);
    const clock = { elapsed: () => systemClock.elapsed() + later };
    const following = createFollowing({ copies: test.store.workspaces, place, clock, log: silentLog });
    let command = "";
    let printed = "";
    const tool = defineTool({
      ...{ name: "sh", description: "sh", effect: "write", permissions: ["exec"], input: z.strictObject({}) },
      async execute(_, { workspace, signal }) {
        const options = { timeoutMs: 120_000, signal, maxOutputChars: 1_000 };
        printed = (await workspace?.exec({ command }, options))?.output ?? "no workspace";
        return { content: printed };
      },
    });
    const turns = Array.from({ length: 20 }, () => [calls("sh"), says("Done.")]).flat();
    const worker = await TestWorker.start(test, new ScriptedModel(...turns), {
      ...{ tools: [tool], following, openWorkspace: (key) => sandbox.open(key) },
    });
    workers.push(worker.id);
    await test.store.processes.renew(worker.id, 60_000, { place });
    const does = async (talk: Talk, words: string) => {
      command = words;
      printed = "";
      await talk.say(words);
      await worker.run(talk.key);
      return printed;
    };
    return { does, folder: own, place, id: worker.id };
  }

  it("go with it to a worker that has another folder, and back", async () => {
    const [one, other] = [await workerWith(), await workerWith()];
    const talk = new Talk(test);
    assert.equal(await one.does(talk, "echo one >a; mkdir b; echo b >b/b"), "");
    assert.equal(await other.does(talk, "cat a b/b; echo two >>a; rm -r b"), "one\nb\n");
    assert.equal(await other.does(talk, "cat a"), "one\ntwo\n");
    assert.equal(await one.does(talk, "cat a; ls"), "one\ntwo\na\n");
    assert.equal(await other.does(new Talk(test), "ls -A"), "", "and are nobody else's");
  });

  it("stay where they are while all workers share a folder", async () => {
    const one = await workerWith();
    const other = await workerWith(one.folder);
    assert.equal(one.place, other.place);
    const talk = new Talk(test);
    await one.does(talk, "echo one >a");
    assert.equal(await other.does(talk, "cat a"), "one\n");
    const found = await test.store.workspaces.find(talk.key, "elsewhere");
    assert.deepEqual([found?.place, found?.bytes], [one.place, undefined]);
  });

  it("stay where they are when they are too large, and an older copy is no longer given", async () => {
    const [one, other] = [await workerWith(), await workerWith()];
    const talk = new Talk(test);
    await one.does(talk, "echo one >a");
    await one.does(talk, "head -c 20000000 /dev/urandom >large");
    assert.equal(await other.does(talk, "ls"), "");
    assert.equal(await one.does(talk, "rm large; ls"), "a\n", "nothing was put over them");
    assert.equal(await other.does(talk, "ls"), "a\n");
  });

  it("follow from the next turn on when a second place joins, and nothing is put over them before", async () => {
    const one = await workerWith();
    const talk = new Talk(test);
    await one.does(talk, "echo one >a");
    const other = await workerWith();
    assert.equal(await other.does(talk, "ls; echo mine >b"), "");
    later += 60_000;
    assert.equal(await one.does(talk, "cat a; ls; echo two >>a"), "one\na\n");
    assert.equal(await other.does(talk, "cat a; ls"), "one\ntwo\na\n");
    await test.store.processes.retire(one.id);
    later += 60_000;
    await other.does(talk, "echo three >>a");
    const back = await workerWith(one.folder);
    assert.equal(
      await back.does(talk, "cat a"),
      "one\ntwo\n",
      "what was not kept while nobody else was there is apart",
    );
    assert.equal(await other.does(talk, "cat a"), "one\ntwo\nthree\n");
  });

  it("are kept by whoever holds the session alone", async () => {
    const one = await workerWith();
    const talk = new Talk(test);
    await one.does(talk, "true");
    const lost = { sessionKey: talk.key, holder: one.id, fence: 0 };
    const isLost = (error: unknown) => isGatewayError(error, "conflict");
    const copy = { place: "p", digest: "d", bytes: Buffer.from("x") };
    await assert.rejects(test.store.workspaces.keep(lost, copy), isLost);
    await assert.rejects(test.store.workspaces.claim({ ...lost, holder: brandAs<ProcessId>("x") }, "p"), isLost);
    assert.notEqual((await test.store.workspaces.find(talk.key, "q"))?.place, "p");
  });
});
