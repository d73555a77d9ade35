import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isHomeServed, lockHome } from "./home-lock.ts";

const holder = fileURLToPath(new URL("./testing/lock-holder.ts", import.meta.url));

describe("the lock of a data folder", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  async function newHome(name: string): Promise<string> {
    const dir = join(folder, name);
    await mkdir(dir, { recursive: true });
    return dir;
  }

  it("is one starter's, until it lets go", async () => {
    const dir = await newHome("one");
    assert.equal(await isHomeServed(dir), false);
    const lock = await lockHome(dir);
    assert.equal(await isHomeServed(dir), true);
    await assert.rejects(lockHome(dir), /already runs on .*one: use it, stop it first, or choose another folder/);
    lock.close();
    await once(lock, "close");
    assert.equal(await isHomeServed(dir), false);
    (await lockHome(dir)).close();
  });

  it("is free again when its holder was killed", async () => {
    const dir = await newHome("killed");
    const child = fork(holder, [dir]);
    await once(child, "message");
    await assert.rejects(lockHome(dir), /already runs/);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.ok((await stat(join(dir, "run.sock"))).isSocket(), "the socket was left behind");
    (await lockHome(dir)).close();
  });

  it("is one starter's when many find it dead at the same time", async () => {
    for (let round = 0; round < 40; round += 1) {
      const dir = await newHome(`many-${round}`);
      const dead = createServer().listen(join(dir, "dead.sock"));
      await once(dead, "listening");
      await rename(join(dir, "dead.sock"), join(dir, "run.sock"));
      dead.close();
      const all = await Promise.allSettled(Array.from({ length: 12 }, () => lockHome(dir)));
      const locks = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      for (const lock of locks) lock.close();
      assert.equal(locks.length, 1);
    }
  });

  const skip = process.platform === "win32" ? "needs SIGSTOP" : false;
  it("is free as soon as a holder that was killed has ended, and stays with one that only stands still", {
    skip,
  }, async () => {
    const dir = await newHome("dying");
    const child = fork(holder, [dir]);
    await once(child, "message");
    child.kill("SIGSTOP");
    await assert.rejects(lockHome(dir), /already runs/);
    const lock = lockHome(dir);
    await sleep(100);
    child.kill("SIGKILL");
    (await lock).close();
  });

  it("is not held by a file that happens to have its name", async () => {
    const dir = await newHome("file");
    await writeFile(join(dir, "run.sock"), "");
    (await lockHome(dir)).close();
  });

  it("works for a folder whose path is too long for a socket", async () => {
    const dir = await newHome(join("long", "x".repeat(120)));
    const lock = await lockHome(dir);
    await assert.rejects(lockHome(dir), /already runs/);
    const other = await lockHome(await newHome(join("long", "y".repeat(120))));
    other.close();
    lock.close();
  });

  it("is in a folder of this account where it can't be in the data folder, and nobody else's", async (test) => {
    const dir = await newHome(join("elsewhere", "z".repeat(120)));
    const { TMPDIR } = process.env;
    test.after(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    process.env.TMPDIR = folder;
    const own = join(folder, `talaria-${process.getuid?.() ?? 0}`);
    (await lockHome(dir)).close();
    const { mode } = await stat(own);
    assert.equal(mode & 0o777, 0o700);
    await chmod(own, 0o777);
    await assert.rejects(lockHome(dir), /is open to others: remove it, or choose a shorter --home/);
  });

  it("names the remedy for a folder that is not there", async () => {
    await assert.rejects(
      lockHome(join(folder, "missing")),
      /cannot use the data folder .*missing \(E\w+\): make it writable/,
    );
  });
});
