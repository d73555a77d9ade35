import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { finishReplacement, isReplacing, type Replacement, replaceAll } from "./replacement.ts";

describe("folders that are replaced together", () => {
  let base: string;
  let dir: string;
  let both: readonly [Replacement, Replacement];

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-replace-"));
    dir = join(base, "home");
    both = [await made("home"), await made("files")];
  });
  afterEach(() => rm(base, { recursive: true }));

  async function made(name: string): Promise<Replacement> {
    const place = join(base, name);
    const next = `${place}.new`;
    for (const [path, text] of [
      [place, "former"],
      [next, "restored"],
    ] as const) {
      await mkdir(path);
      await writeFile(join(path, "what"), text);
    }
    return { place, next, aside: `${place}.aside` };
  }

  const what = (path: string) => readFile(join(path, "what"), "utf8");
  async function isRestored() {
    for (const { place, aside } of both)
      assert.deepEqual([await what(place), await what(aside)], ["restored", "former"]);
    assert.deepEqual((await readdir(base)).sort(), ["files", "files.aside", "home", "home.aside"]);
  }

  /** As a process leaves it that is killed once it has written down what it is about to do. */
  async function begun(): Promise<void> {
    await writeFile(`${dir}.restore.json`, JSON.stringify(both), { mode: 0o600 });
  }

  it("take their places, and what was there moves aside", async () => {
    await replaceAll(dir, both);
    await isRestored();
    assert.equal(await finishReplacement(dir), undefined);
  });

  it("are all there after a death between any two steps", async () => {
    const steps = both.flatMap(
      ({ place, next, aside }) =>
        [
          [place, aside],
          [next, place],
        ] as const,
    );
    for (let done = 0; done <= steps.length; done += 1) {
      await begun();
      for (const [from, to] of steps.slice(0, done)) await rename(from, to);
      assert.equal(await isReplacing(dir), true);
      assert.deepEqual(await finishReplacement(dir), both, `${done} steps`);
      await isRestored();
      for (const { place, next, aside } of both) {
        await rename(place, next);
        await rename(aside, place);
      }
    }
  });

  it("leave everything as it was where the first can't be moved", async () => {
    const [home, files] = both;
    const nowhere = { ...home, aside: join(base, "missing", "home") };
    await assert.rejects(
      replaceAll(dir, [nowhere, files]),
      /home can't be moved to .* \(ENOENT\): where it is a mount/,
    );
    assert.deepEqual([await what(home.place), await what(files.place)], ["former", "former"]);
    assert.equal(await isReplacing(dir), false);
  });

  it("are chosen by nobody else: a list that others can write moves nothing", async () => {
    await begun();
    await chmod(`${dir}.restore.json`, 0o666);
    await assert.rejects(
      finishReplacement(dir),
      /restore\.json is not of this account, or others may use it: remove it/,
    );
    assert.equal(await what(dir), "former");
  });
});
