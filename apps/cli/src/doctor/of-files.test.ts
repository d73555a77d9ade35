import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { locateHome } from "../home.ts";
import { ofFiles } from "./of-files.ts";

it("names what commands have left half written", async (context) => {
  const dir = await mkdtemp(join(tmpdir(), "talaria-files-"));
  context.after(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, "secrets"), { mode: 0o700 });
  const left = ["token", "secrets/x"].map((name) => join(dir, `${name}.0b0e6f0a-1c2d-4e5f-8a9b-0c1d2e3f4a5b`));
  for (const path of [...left, join(dir, "token")]) await writeFile(path, "", { mode: 0o600 });
  const found = await ofFiles({ home: locateHome({ home: dir }, {}), secretFiles: [] });
  assert.deepEqual(
    found.map(({ state, remedy }) => [state, remedy]),
    left.map((path) => ["warning", `rm ${path}`]),
  );
});
