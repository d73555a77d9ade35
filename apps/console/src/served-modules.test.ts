import assert from "node:assert/strict";
import { posix } from "node:path";
import { it } from "node:test";
import { loadConsole } from "./index.ts";

it("serves every module that a page's scripts import", async () => {
  const files = await loadConsole();
  const wanted = [...files].flatMap(([name, { body }]) => {
    if (!name.endsWith(".js") || name.startsWith("vendor/")) return [];
    const imports = [...body.toString("utf8").matchAll(/^(?:import|export) [^"]*"(\.[^"]+)"/gm)];
    return imports.map(([, specifier = ""]) => posix.join(posix.dirname(name), specifier));
  });
  assert.ok(wanted.length > 20, `${wanted.length} imports`);
  assert.deepEqual(
    [...new Set(wanted)].filter((name) => !files.has(name)),
    [],
  );
});
