import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, describe, it } from "node:test";
import { extract } from "tar";
import { packFolder } from "./pack-folder.ts";

describe("an archive of a folder in use", () => {
  let base: string;
  let from: string;
  let to: string;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-pack-"));
    [from, to] = [join(base, "from"), join(base, "to")];
    await Promise.all([mkdir(from), mkdir(to)]);
  });
  afterEach(() => rm(base, { recursive: true }));

  /** `meanwhile` is called after each part of the archive, with the length up to there. */
  async function packed(meanwhile: (bytes: number) => Promise<void> = async () => undefined): Promise<void> {
    const file = join(base, "all.tar");
    await pipeline(async function* () {
      let bytes = 0;
      for await (const part of packFolder(from)) {
        yield part;
        bytes += part.length;
        await meanwhile(bytes);
      }
    }, createWriteStream(file));
    await extract({ file, cwd: to, strict: true });
  }

  it("holds files, folders, links and names of any length", async () => {
    const long = `${"ä".repeat(110)}.txt`;
    await mkdir(join(from, "sub", "empty"), { recursive: true });
    await writeFile(join(from, "sub", long), "long");
    await writeFile(join(from, "run.sh"), "x".repeat(200_000), { mode: 0o750 });
    await link(join(from, "run.sh"), join(from, "sub", "same.sh"));
    await symlink("../nowhere", join(from, "sub", "away"));
    await packed();
    assert.equal(await readFile(join(to, "sub", long), "utf8"), "long");
    assert.equal((await readFile(join(to, "sub", "same.sh"))).length, 200_000);
    const [one, other] = await Promise.all(["run.sh", "sub/same.sh"].map((path) => lstat(join(to, path))));
    assert.deepEqual([one?.mode, one?.ino], [(await lstat(join(from, "run.sh"))).mode, other?.ino]);
    assert.equal(await readlink(join(to, "sub", "away")), "../nowhere");
    assert.deepEqual(await readdir(join(to, "sub", "empty")), []);
  });

  it("leaves out what goes, and keeps what shrinks or grows at the length that it had", async () => {
    const names = Array.from({ length: 20 }, (_, n) => `f${String(n).padStart(2, "0")}`);
    for (const name of names) await writeFile(join(from, name), name.repeat(100_000));
    await mkdir(join(from, "z"));
    await writeFile(join(from, "z", "in"), "");
    const steps: readonly (readonly [number, () => Promise<void>])[] = [
      [100_000, () => truncate(join(from, "f00"), 70_000)],
      [400_000, () => writeFile(join(from, "f01"), "x".repeat(400_000), { flag: "a" })],
      [500_000, () => rm(join(from, "f10"))],
      [500_000, () => rm(join(from, "z"), { recursive: true })],
    ];
    let done = 0;
    await packed(async (bytes) => {
      for (; bytes > (steps[done]?.[0] ?? Number.POSITIVE_INFINITY); done += 1) await steps[done]?.[1]();
    });
    assert.equal(done, steps.length);
    assert.deepEqual(
      await readdir(to),
      names.filter((name) => name !== "f10"),
    );
    for (const name of await readdir(to)) assert.equal((await lstat(join(to, name))).size, 300_000, name);
    assert.equal(await readFile(join(to, "f02"), "utf8"), "f02".repeat(100_000));
  });
});
