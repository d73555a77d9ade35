import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { readHostFile } from "./host-file.ts";
import { openSessionFolder } from "./host-folder.ts";

const names = ["A.md", ".b/c.md"];

async function world() {
  const base = await mkdtemp(join(tmpdir(), "talaria-host-file-"));
  const { files } = await openSessionFolder(base, "telegram:1");
  const secret = join(base, "secret");
  await writeFile(secret, "key");
  return {
    files,
    secret,
    read: (most = 100) => readHostFile(base, "telegram:1", names, most),
    elsewhere: () => readHostFile(base, "telegram:2", names, 100),
    write: async (name: string, text: string) => {
      await mkdir(dirname(join(files, name)), { recursive: true });
      await writeFile(join(files, name), text);
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

describe("a file of a session, read on this machine", () => {
  it("is the first of those named, up to a limit, with its whole size", async () => {
    await using here = await world();
    assert.equal(await here.read(), undefined);
    assert.equal(await here.elsewhere(), undefined);
    await here.write(".b/c.md", "second");
    assert.deepEqual(await here.read(), { name: ".b/c.md", bytes: Buffer.from("second"), size: 6 });
    await here.write("A.md", "first of all");
    assert.deepEqual(await here.read(5), { name: "A.md", bytes: Buffer.from("first"), size: 12 });
  });

  it("is no link to elsewhere, in no folder that is one", async () => {
    await using here = await world();
    await symlink(here.secret, join(here.files, "A.md"));
    assert.equal(await here.read(), undefined);
    await rm(join(here.files, "A.md"));
    const outside = dirname(here.secret);
    await writeFile(join(outside, "c.md"), "key");
    await symlink(outside, join(here.files, ".b"));
    assert.equal(await here.read(), undefined);
  });

  it("is no pipe, nobody waits for its writer, and no folder", async () => {
    await using here = await world();
    execFileSync("mkfifo", [join(here.files, "A.md")]);
    assert.equal(await here.read(), undefined);
    await rm(join(here.files, "A.md"));
    await mkdir(join(here.files, "A.md"));
    assert.equal(await here.read(), undefined);
  });
});
