import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { readSkill, starterFolder } from "@talaria/skills";
import { starter } from "./starter-skills.ts";

const never = new AbortController().signal;

describe("talaria skills starter", () => {
  async function home(test: TestContext) {
    const folder = await mkdtemp(join(tmpdir(), "talaria-starter-"));
    test.after(() => rm(folder, { recursive: true }));
    const printed: string[] = [];
    test.mock.method(console, "log", (line: string) => void printed.push(line));
    return { folder, printed };
  }

  it("lists what comes with Talaria, and puts nothing anywhere", async (test) => {
    const { folder, printed } = await home(test);
    await starter({ home: folder });
    assert.match(printed[0] ?? "", /^change-review {2}Reviews a change of code/);
    assert.equal(printed.length, 11);
    assert.deepEqual(await readdir(folder), []);
  });

  it("puts one into the data folder as it is, and says how it is accepted", async (test) => {
    const { folder, printed } = await home(test);
    await starter({ home: folder }, "csv-report");
    assert.deepEqual(await readdir(join(folder, "skills")), ["csv-report"]);
    assert.match(printed[0] ?? "", /^installed: csv-report\. .*`talaria skills accept csv-report`$/);
    const [there, shipped] = await Promise.all(
      [join(folder, "skills"), starterFolder].map((each) => readSkill(join(each, "csv-report"), never)),
    );
    assert.equal(there?.skill?.digest, shipped?.skill?.digest);
  });

  it("changes nothing where the name is unknown or is there already", async (test) => {
    const { folder } = await home(test);
    await starter({ home: folder }, "proofread");
    await assert.rejects(
      starter({ home: folder }, "../etc"),
      /"\.\.\/etc" is no starter skill: there are change-review, /,
    );
    await assert.rejects(starter({ home: folder }, "proofread"), /"proofread" already: remove it first/);
    assert.deepEqual(await readdir(join(folder, "skills")), ["proofread"]);
  });
});
