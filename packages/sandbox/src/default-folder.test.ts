import assert from "node:assert/strict";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { defaultFolder, prepareDefaultFolder } from "./default-folder.ts";

const own = process.getuid?.() ?? 0;

async function world(test: TestContext) {
  const root = await mkdtemp(join(tmpdir(), "talaria-default-"));
  test.after(() => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  const home = async (name: string, mode: number) => {
    await mkdir(join(root, name));
    await chmod(join(root, name), mode);
    return join(root, name);
  };
  return { root, base: join(root, "work"), home };
}

describe("the folder of workspaces that nobody has named", () => {
  it("is in the data folder, unless that keeps out the account that root's commands run as", async (test) => {
    const { root, base, home } = await world(test);
    const [open, closed, other] = [await home("open", 0o711), await home("closed", 0o700), await home("other", 0o700)];
    assert.equal(await defaultFolder(open, "sandbox", { uid: 0, base }), join(open, "workspaces"));
    assert.equal(await defaultFolder(closed, "sandbox", { uid: 4_321, base }), join(closed, "workspaces"));
    const apart = await defaultFolder(closed, "sandbox", { uid: 0, base });
    assert.match(apart.slice(base.length), /^\/[0-9a-f]{16}$/);
    assert.notEqual(await defaultFolder(other, "sandbox", { uid: 0, base }), apart, "two installations don't share");
    await symlink(closed, join(root, "link"));
    assert.equal(
      await defaultFolder(join(root, "link"), "sandbox", { uid: 0, base }),
      apart,
      "one has one, by whatever path",
    );
    assert.match(await defaultFolder(join(open, "new"), "sandbox", { uid: 0, base }), /work\/[0-9a-f]{16}$/);
    assert.equal(await defaultFolder(closed, "docker", { uid: 0, base }), join(closed, "workspaces"));
    const soonClosed = await defaultFolder(open, "sandbox", { uid: 0, base, closes: true });
    assert.notEqual(soonClosed, join(open, "workspaces"));
    await chmod(open, 0o700);
    assert.equal(await defaultFolder(open, "sandbox", { uid: 0, base }), soonClosed, "and then it is that one");
    assert.deepEqual((await readdir(root)).sort(), ["closed", "link", "open", "other"]);
  });

  it("is made such that others pass and don't list it, whatever the umask, and stays", async (test) => {
    const { base } = await world(test);
    const path = join(base, "0123456789abcdef");
    const before = process.umask(0o077);
    await prepareDefaultFolder(path, { uid: own, base, makes: false });
    await assert.rejects(stat(base), { code: "ENOENT" });
    await prepareDefaultFolder(path, { uid: own, base });
    process.umask(before);
    await mkdir(join(path, "kept"));
    await prepareDefaultFolder(path, { uid: own, base });
    for (const folder of [base, path]) assert.equal((await stat(folder)).mode & 0o777, 0o711);
    assert.deepEqual(await readdir(path), ["kept"]);
  });

  it("is refused where somebody else made it, or could change it", async (test) => {
    const { root, base, home } = await world(test);
    const path = join(base, "0123456789abcdef");
    const refused = (why: RegExp) => assert.rejects(prepareDefaultFolder(path, { uid: own, base }), why);
    const evil = await home("evil", 0o777);
    await symlink(evil, base);
    await refused(/work, which is a link that Talaria did not make: mend that, or set sandbox\.folder/);
    await assert.rejects(prepareDefaultFolder(path, { uid: own, base, makes: false }), /work, which is a link/);
    await rm(base);
    await mkdir(base);
    await chmod(base, 0o777);
    await refused(/work, which can be changed by other accounts/);
    await chmod(base, 0o711);
    await symlink(evil, path);
    await refused(/0123456789abcdef, which is a link/);
    await rm(path);
    await chmod(root, 0o777);
    await refused(/talaria-default-\w+, which can be changed by other accounts/);
    await chmod(root, 0o755);
    await prepareDefaultFolder(path, { uid: own, base });
    assert.deepEqual(await readdir(evil), []);
  });

  it("is refused where it belongs to another account", {
    skip: own === 0 ? false : "only root can give a folder away",
  }, async (test) => {
    const { base } = await world(test);
    const path = join(base, "0123456789abcdef");
    for (const place of [base, path]) {
      await mkdir(place);
      await chown(place, 4_321, 4_321);
      await assert.rejects(prepareDefaultFolder(path, { base }), new RegExp(`${place}, which belongs to uid 4321`));
      await chown(place, 0, 0);
    }
    await prepareDefaultFolder(path, { base });
  });

  it("is left alone where the configuration names it", async (test) => {
    const { root, base } = await world(test);
    for (const path of [join(root, "named"), join(base, "named"), base])
      await prepareDefaultFolder(path, { uid: own, base });
    assert.deepEqual(await readdir(root), []);
  });
});
