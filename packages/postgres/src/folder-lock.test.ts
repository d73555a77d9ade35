import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withFolderLock } from "./folder-lock.ts";

describe("a folder lock", () => {
  it("lets one in at a time", async (test) => {
    const { folder, file } = await lockFile(test);
    let inside = 0;
    const visits = Array.from({ length: 6 }, () =>
      withFolderLock(
        file,
        async () => {
          inside += 1;
          await nextTurn();
          assert.equal(inside, 1);
          inside -= 1;
        },
        undefined,
      ),
    );
    await Promise.all(visits);
    assert.deepEqual(await readdir(folder), []);
  });

  it("is free again when the work fails", async (test) => {
    const { file } = await lockFile(test);
    await assert.rejects(
      withFolderLock(file, () => Promise.reject(new Error("failed")), undefined),
      /failed/,
    );
    assert.equal(await withFolderLock(file, async () => "in", undefined), "in");
  });

  it("passes on when its holder is dead, or its process id lives on in another process", async (test) => {
    const { file } = await lockFile(test);
    for (const dead of ["4194300 1 x", `${process.pid} 1 x`]) {
      await writeFile(file, dead);
      assert.equal(await withFolderLock(file, async () => "in", undefined), "in");
    }
  });

  it("stops waiting when the signal says so", async (test) => {
    const { file } = await lockFile(test);
    await withFolderLock(
      file,
      () =>
        assert.rejects(
          withFolderLock(file, async () => undefined, AbortSignal.timeout(50)),
          /abort|timeout/i,
        ),
      undefined,
    );
  });
});

async function lockFile(test: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "talaria-lock-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, "lock") };
}
