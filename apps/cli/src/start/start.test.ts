import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";

const skip = process.platform === "win32" ? "file modes are those of POSIX" : false;

it("a start closes a folder that was open to others, and prints the token nowhere but on a terminal", {
  skip,
}, async (test) => {
  const home = await mkdtemp(join(tmpdir(), "talaria-test-"));
  test.after(() => rm(home, { recursive: true, force: true }));
  await chmod(home, 0o755);
  await using talaria = await Installation.start({ home, config: "", database: "shared" });
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  assert.ok(token.length > 40);
  assert.ok(!talaria.output.includes(token), talaria.output);
  assert.match(talaria.output, /is ready after .*: http:\/\/127\.0\.0\.1:\d+\/console\/ \(token: .*\/token\)$/m);
});
