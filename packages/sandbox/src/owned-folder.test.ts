import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { it } from "node:test";
import { ownFolder } from "./owned-folder.ts";

it("a folder of this process' own replaces those of dead ones, and spares what is another's", async (test) => {
  const base = await mkdtemp(join(tmpdir(), "talaria-owned-"));
  test.after(() => rm(base, { recursive: true }));
  const living = await ownFolder("own-", base);
  await mkdir(join(base, "own-0123456789abcdef", "profile"), { recursive: true });
  const others = ["own-0123456789abcdeF", "own-other", "other-0123456789abcdef"];
  for (const name of others) await mkdir(join(base, name));
  await writeFile(join(living.path, "file"), "kept");
  const next = await ownFolder("own-", base);
  const shown = async () => (await readdir(base)).filter((name) => !name.startsWith("."));
  assert.deepEqual((await shown()).sort(), [...others, basename(living.path), basename(next.path)].sort());
  assert.deepEqual(await readdir(living.path), ["file"]);
  await living.remove();
  await next.remove();
  assert.deepEqual((await readdir(base)).sort(), others.sort());
});
