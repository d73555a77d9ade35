import assert from "node:assert/strict";
import { writeSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, mock } from "node:test";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { openLogFile } from "./log-file.ts";

const maxBytes = 20 * 1024 * 1024;

describe("the log file", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  it("is appended to, and only its owner reads it", async () => {
    const dir = join(folder, "plain", "logs");
    for (const line of ["one\n", "two\n"]) {
      const log = await openLogFile(dir);
      writeSync(log.descriptor, line);
      await log.close();
    }
    const path = join(dir, "talaria.log");
    assert.equal(await readFile(path, "utf8"), "one\ntwo\n");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(dir)).mode & 0o777, 0o700);
  });

  it("is set aside at the start when it has grown large", async () => {
    const dir = join(folder, "large");
    await (await openLogFile(dir)).close();
    const path = join(dir, "talaria.log");
    await truncate(path, maxBytes);
    await writeFile(`${path}.1`, "older");
    await (await openLogFile(dir)).close();
    assert.equal((await stat(path)).size, 0);
    assert.equal((await stat(`${path}.1`)).size, maxBytes);
  });

  it("is set aside while it is written to, and what is written next is at its start", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const log = await openLogFile(join(folder, "growing"));
      writeSync(log.descriptor, Buffer.alloc(maxBytes, "x"));
      mock.timers.tick(60_000);
      await waitFor(async () => (await stat(log.path)).size === 0, "the cut");
      writeSync(log.descriptor, "next\n");
      assert.equal(await readFile(log.path, "utf8"), "next\n");
      assert.equal((await stat(`${log.path}.1`)).size, maxBytes);
      await log.close();
      mock.timers.tick(600_000);
    } finally {
      mock.timers.reset();
    }
  });
});
