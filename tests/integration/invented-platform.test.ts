import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { RepositoryCopy } from "../support/repository-copy.ts";

const invented = fileURLToPath(new URL("../fixtures/telex", import.meta.url));
const registry = "packages/platforms/src/registry.ts";
const manifest = "packages/platforms/package.json";
const line = '  telex: () => import("@talaria/adapter-telex"),';
const dependency = '    "@talaria/adapter-telex": "0.1.0",';

/** A platform that nobody has heard of, added to a copy of this repository as CONTRIBUTING.md says. */
describe("a new platform", { concurrency: 2 }, () => {
  let copy: RepositoryCopy;
  let original: ReadonlyMap<string, string>;
  let files: ReadonlyMap<string, string>;

  before(async () => {
    copy = await RepositoryCopy.make();
    original = await copy.files();
    await passes("scripts/new-adapter.ts", "telex");
    await cp(invented, copy.path("packages/adapters/telex"), { recursive: true });
    await insertAfter(registry, '  email: () => import("@talaria/adapter-email"),', line);
    await insertAfter(manifest, '    "@talaria/adapter-telegram": "0.1.0",', dependency);
    await copy.link("adapter-telex", "../../packages/adapters/telex");
    files = await copy.files();
  });

  after(() => copy[Symbol.asyncDispose]());

  async function insertAfter(path: string, before: string, added: string): Promise<void> {
    const text = await readFile(copy.path(path), "utf8");
    assert.ok(text.includes(`${before}\n`), `${path} has no line ${before}`);
    await writeFile(copy.path(path), text.replace(`${before}\n`, `${before}\n${added}\n`));
  }

  async function passes(...args: readonly string[]): Promise<string> {
    const { code, output } = await copy.node(args);
    assert.equal(code, 0, output);
    return output;
  }

  it("is one folder, one line and one dependency", () => {
    const outside = [...files].filter(([path]) => !path.startsWith("packages/adapters/telex/"));
    const changed = outside.filter(([path, text]) => original.get(path) !== text);
    assert.deepEqual(
      changed.map(([path, text]) => [path, addedTo(original.get(path) ?? "", text)]),
      [
        [manifest, [dependency]],
        [registry, [line]],
      ],
    );
    assert.deepEqual(outside.length, original.size, "nothing is removed");
  });

  it("passes the conformance suite and its own tests", async () => {
    const output = await passes("--test", "--test-reporter=tap", "packages/adapters/telex/src/**/*.test.ts");
    assert.match(output, /^# fail 0$/m);
    assert.match(output, /nothing is acknowledged that the host did not record/);
  });

  it("is documented once the tables are written anew, and passes the tests of documents and boundaries", async () => {
    const stale = await copy.node(["scripts/generate-schema.ts", "--check"]);
    assert.equal(stale.code, 1, stale.output);
    for (const file of ["config/talaria.schema.json", "docs/configuration-reference.md", "README.md"])
      assert.ok(stale.output.includes(`${file} is out of date`), stale.output);
    await passes("scripts/generate-schema.ts");
    await passes("scripts/generate-schema.ts", "--check");
    const tests = ["imports", "adapters", "platforms", "documents", "files"].map(
      (name) => `tests/architecture/${name}.test.ts`,
    );
    const output = await passes("--test", "--test-reporter=tap", ...tests, "packages/config/src/documentation.test.ts");
    assert.match(output, /the platform telex/);
    assert.match(await readFile(copy.path("docs/configuration-reference.md"), "utf8"), /One of .*`email`, `telex`\./);
    assert.match(
      await readFile(copy.path("README.md"), "utf8"),
      /^\| \[Telex\]\(packages\/adapters\/telex\/GUIDE\.md\): /m,
    );
  });

  it("is checked by `talaria check`: its keys, its ids, and that no two accounts are the same", async (t) => {
    const home = await mkdtemp(join(tmpdir(), "talaria-telex-"));
    t.after(() => rm(home, { recursive: true }));
    const check = async (accounts: Readonly<Record<string, object>>) => {
      await writeFile(join(home, "config.yaml"), `accounts: ${JSON.stringify(accounts)}\n`);
      return copy.node(["apps/cli/src/main.ts", "check"], { TALARIA_HOME: home });
    };
    const account = { platform: "telex", server: "localhost:1851", token: "a" };
    const good = await check({ one: { ...account, access: { allow: ["telex:user:1001", "telex:group:g7"] } } });
    assert.equal(good.code, 0, good.output);
    assert.match(good.output, /is valid: 1 account/);
    const { code, output } = await check({
      one: account,
      two: account,
      three: { ...account, token: "b", server: "nowhere", access: { allow: ["telex:user:Ada"] } },
    });
    assert.equal(code, 1);
    assert.match(output, /accounts\.two\.token: is that of account one/);
    assert.match(output, /accounts\.three\.server: has to be a name and a port/);
    assert.match(
      output,
      /accounts\.three\.access\.allow\.0: this is not the id of a user on telex: for example telex:user:1001/,
    );
  });

  it("is set up by `talaria setup`, in the suite that every platform passes", async () => {
    const help = await copy.node(["apps/cli/src/main.ts", "setup", "--help"]);
    assert.match(help.output, /email,\s+telex, model or sandbox/);
    const suite = "tests/integration/setup-platforms.test.ts";
    const output = await passes("--test", "--test-reporter=tap", "--test-name-pattern=talaria setup telex", suite);
    assert.match(output, /ok \d+ - asks for the keys, proves the way there and back, and writes an account that works/);
    assert.match(output, /^# fail 0$/m);
  });
});

/** The lines that a text has more than the one before; fails when it lacks any of those. */
function addedTo(before: string, text: string): readonly string[] {
  const rest = before.split("\n");
  const added = text.split("\n").filter((each) => {
    const isOld = rest[0] === each;
    if (isOld) rest.shift();
    return !isOld;
  });
  assert.deepEqual(rest, [], "lines are gone");
  return added;
}
