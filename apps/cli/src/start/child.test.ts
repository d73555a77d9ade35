import assert from "node:assert/strict";
import { type FileHandle, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { isRunning } from "@talaria/postgres/process-info";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { Child } from "./child.ts";

const file = fileURLToPath(new URL("./testing/fickle-child.ts", import.meta.url));

describe("a child process", () => {
  let folder: string;
  let log: FileHandle;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
    log = await open(join(folder, "log"), "a");
  });
  after(async () => {
    await log.close();
    await rm(folder, { recursive: true });
  });

  /** A child with a plan for its lives, what was said about it, and what it did. */
  function childWith(name: string, ...plan: readonly string[]) {
    const diary = join(folder, name);
    const said: string[] = [];
    const env = { PATH: process.env.PATH };
    const common = { name, file, env, logFile: log.fd, stopMs: 500, say: (line: string) => said.push(line) };
    const child = new Child({ ...common, args: [diary, ...plan] });
    const lives = async () =>
      (await readFile(diary, "utf8"))
        .trim()
        .split("\n")
        .map((line) => line.split(" "));
    return { child, said, lives };
  }

  it("is started when it serves, and ends when it is asked to", async () => {
    const { child, said, lives } = childWith("good");
    assert.deepEqual(await child.start(), { type: "ready" });
    const [[, pid] = []] = await lives();
    await child.stop();
    assert.throws(() => process.kill(Number(pid), 0), "it has ended");
    assert.deepEqual(said, []);
    assert.match(await readFile(join(folder, "log"), "utf8"), /life 1/);
    await child.stop();
  });

  it("hands on its own words when it cannot start, and is not tried again", async () => {
    const { child, said } = childWith("failing", "fail");
    await assert.rejects(child.start(), { message: "no luck today" });
    await child.stop();
    assert.deepEqual(said, []);
  });

  it("that ends without a word is told by its code", async () => {
    const { child } = childWith("vanishing", "vanish");
    await assert.rejects(child.start(), { message: "the vanishing ended before it served (code 3)" });
  });

  it("starts again after each crash, later each time, also when a start fails between", async () => {
    const { child, said, lives } = childWith("fickle", "crash", "crash", "fail", "serve");
    await child.start();
    await waitFor(async () => (await lives()).length === 4, "the fourth life");
    assert.deepEqual(said, [
      "the fickle ended (code 4); it starts again in 200 ms",
      "the fickle ended (code 4); it starts again in 400 ms",
      "the fickle ended (it could not start); it starts again in 800 ms",
    ]);
    await child.stop();
    assert.equal((await lives()).length, 4);
  });

  it("is not started again when it was stopped while it waited for its next life", async () => {
    const { child, said, lives } = childWith("waiting", "crash");
    await child.start();
    await waitFor(() => said.length === 1, "the crash");
    await child.stop();
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal((await lives()).length, 1);
  });

  it("is killed when it does not stop in time", { timeout: 120_000 }, async () => {
    const { child, said, lives } = childWith("deaf one", "deaf");
    await child.start();
    const [[, pid] = []] = await lives();
    await child.stop();
    assert.equal(await isRunning(Number(pid)), false);
    assert.deepEqual(said, ["the deaf one does not stop; it is killed"]);
    assert.equal((await lives()).length, 1);
  });

  it("is not started again when it was killed on purpose", async () => {
    const { child, said, lives } = childWith("killed");
    await child.start();
    const [[, pid] = []] = await lives();
    child.kill();
    await child.stop();
    await waitFor(async () => !(await isRunning(Number(pid))), "its end");
    assert.deepEqual(said, []);
  });
});
