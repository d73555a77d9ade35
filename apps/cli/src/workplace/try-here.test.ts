import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { defaultConfig } from "@talaria/config";
import { defaultFolder } from "@talaria/sandbox";
import { locateHome } from "../home.ts";
import { tryHere } from "./try-here.ts";

const skip = process.getuid?.() === 0 ? false : "only root's files may lie elsewhere";

async function openFolder(test: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "talaria-try-"));
  test.after(() => rm(dir, { recursive: true, force: true }));
  await chmod(dir, 0o755);
  return dir;
}

async function said(test: TestContext, dir: string): Promise<string | undefined> {
  const { line } = await tryHere(
    { home: locateHome({ home: dir }, {}), config: defaultConfig({}).config },
    { paid: false },
  );
  if (!line.includes("files in ")) test.skip(`commands don't work here: ${line}`);
  return /files in ([^);]+)/.exec(line)?.[1];
}

describe("the folder that `talaria check` names to root", { skip }, () => {
  it("is the one that the first start uses, which closes a data folder that is open", async (test) => {
    const dir = await openFolder(test);
    const named = await said(test, dir);
    if (named === undefined) return;
    await chmod(dir, 0o700);
    assert.equal(named, await defaultFolder(dir, "sandbox"));
  });

  it("stays in an open data folder where a worker of a fleet has left files", async (test) => {
    const dir = await openFolder(test);
    await mkdir(join(dir, "workspaces"), { mode: 0o711 });
    const named = await said(test, dir);
    if (named !== undefined) assert.equal(named, join(dir, "workspaces"));
  });
});
