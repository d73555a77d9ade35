import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { nextSupervisorId } from "./supervisor-id.ts";

describe("the id of a start", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  /** A start that dies before anything runs. */
  async function begin(name: string) {
    const dir = join(folder, name);
    await mkdir(dir, { recursive: true });
    return nextSupervisorId(join(dir, "supervisor.json"), dir);
  }

  async function start(name: string) {
    const started = await begin(name);
    await started.remember();
    return started;
  }

  it("is a new one each time, and hands on those before it, in a file of its own", async () => {
    const first = await start("one");
    assert.deepEqual(first.former, []);
    const second = await start("one");
    assert.deepEqual(second.former, [first.id]);
    const third = await start("one");
    assert.deepEqual(third.former, [second.id, first.id]);
    for (let n = 0; n < 10; n += 1) await start("one");
    assert.equal((await start("one")).former.length, 5);
    assert.equal((await stat(join(folder, "one", "supervisor.json"))).mode & 0o777, 0o600);
  });

  it("is the successor of the last one under which something ran, however many starts died since", async () => {
    const { id } = await start("dying");
    for (let n = 0; n < 10; n += 1) await begin("dying");
    assert.deepEqual((await begin("dying")).former, [id]);
  });

  it("is nobody's successor in a copy of the folder: the original may be running", async () => {
    const original = await start("original");
    await cp(join(folder, "original"), join(folder, "copy"), { recursive: true });
    assert.match(await readFile(join(folder, "copy", "supervisor.json"), "utf8"), new RegExp(original.id));
    assert.deepEqual((await start("copy")).former, []);
  });

  it("is there although it can't be remembered", async () => {
    const dir = join(folder, "unwritable");
    await mkdir(join(dir, "supervisor.json"), { recursive: true });
    const { id, former, remember } = await nextSupervisorId(join(dir, "supervisor.json"), dir);
    await remember();
    assert.match(id, /^[\w-]{36}$/);
    assert.deepEqual(former, []);
  });

  for (const text of ["", "{}", "null", '{"ids":[1]}', '{"ids":["; drop"]}'])
    it(`has no predecessor when the file holds ${JSON.stringify(text)}`, async () => {
      await start("damaged");
      await writeFile(join(folder, "damaged", "supervisor.json"), text);
      assert.deepEqual((await start("damaged")).former, []);
    });
});
