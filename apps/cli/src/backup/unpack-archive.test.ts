import assert from "node:assert/strict";
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Header, type HeaderData } from "tar";
import { isNewer } from "./is-newer.ts";
import { unpackArchive } from "./unpack-archive.ts";

describe("an archive that is unpacked", () => {
  let base: string;
  let file: string;
  let to: string;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-unpack-"));
    [file, to] = [join(base, "all.tar"), join(base, "to")];
    await mkdir(to);
  });
  afterEach(() => rm(base, { recursive: true }));

  function archive(entries: readonly HeaderData[]): Buffer {
    const blocks = entries.flatMap((entry) => {
      const header = new Header({ mode: 0o644, uid: 0, gid: 0, mtime: new Date(0), size: 0, ...entry });
      header.encode();
      return [header.block ?? Buffer.alloc(0), Buffer.alloc(512 * Math.ceil((entry.size ?? 0) / 512))];
    });
    return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
  }

  const unpack = (strict = true) =>
    unpackArchive(file, to, { strict, belongs: ({ type, path }) => type === "File" && path.startsWith("in/") });

  const hostile: readonly (readonly [string, HeaderData])[] = [
    ["a way out", { path: "in/../../out", type: "File" }],
    ["another place", { path: "../out", type: "File" }],
    ["an absolute path", { path: "/tmp/out", type: "File" }],
    ["a symbolic link", { path: "in/link", type: "SymbolicLink", linkpath: "/" }],
    ["a hard link", { path: "in/hard", type: "Link", linkpath: "/etc/passwd" }],
    ["a pipe", { path: "in/pipe", type: "FIFO" }],
    ["a device", { path: "in/device", type: "CharacterDevice" }],
  ];
  for (const [name, entry] of hostile)
    it(`is refused with a sentence for ${name}`, async () => {
      await writeFile(file, archive([entry, { path: "in/last", type: "File" }]));
      await assert.rejects(unpack(), Error);
      assert.deepEqual(await readdir(base), ["all.tar", "to"]);
    });

  it("brings no rights of another account", async () => {
    await writeFile(file, archive([{ path: "in/tool", type: "File", mode: 0o6755 }]));
    await unpack();
    assert.equal((await lstat(join(to, "in", "tool"))).mode & 0o7777, 0o755);
  });

  it("is no longer than its file, as a compressed one would be", async () => {
    await writeFile(file, gzipSync(archive([{ path: "in/bomb", type: "File", size: 5_000_000 }])));
    await assert.rejects(unpack(), /^Error: in\/bomb is longer than the whole file$/);
    assert.deepEqual(await readdir(to), []);
  });
});

it("a release is newer by its numbers", () => {
  const newer = ["99.0.0", "1.10.0", "1.9.1", "2.0.0-beta"].map((one) => isNewer(one, "1.9.0"));
  assert.deepEqual(newer, [true, true, true, true]);
  const older = ["1.9.0", "1.8.9", "0.99.99", "unknown"].map((one) => isNewer(one, "1.9.0"));
  assert.deepEqual(older, [false, false, false, false]);
});
