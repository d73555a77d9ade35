import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { loadConfig } from "./load-config.ts";
import { resolveReferences } from "./references.ts";
import { secretFileReader } from "./secret-file.ts";

const noFiles = () => assert.fail("no file is asked for");

describe("resolveReferences", () => {
  const env = { TOKEN: "t0k", A: "1", EMPTY: "" };
  const resolve = (value: unknown) => resolveReferences(value, { env, readSecret: noFiles });

  it("replaces whole texts and parts of them", () => {
    const value = { a: `\${TOKEN}`, b: [`Bearer \${TOKEN}`, `\${A}-\${A}`], c: 5, d: "plain $TOKEN {TOKEN}" };
    assert.deepEqual(resolve(value).value, { a: "t0k", b: ["Bearer t0k", "1-1"], c: 5, d: "plain $TOKEN {TOKEN}" });
  });

  it("leaves an escaped reference as text", () => {
    assert.equal(resolve(`$\${TOKEN} \${TOKEN}`).value, `\${TOKEN} t0k`);
  });

  it("does not look again at what it put in", () => {
    const found = resolveReferences(`\${A}`, { env: { A: `\${B}`, B: "x" }, readSecret: noFiles });
    assert.equal(found.value, `\${B}`);
  });

  it("names key and variable of each reference that leads nowhere", () => {
    const { issues } = resolve({ a: { b: `\${NOPE} \${EMPTY} \${bad-name}` } });
    assert.deepEqual(
      issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
      [
        "a.b: environment variable NOPE is not set",
        "a.b: environment variable EMPTY is empty",
        `a.b: \${bad-name} does not name an environment variable`,
      ],
    );
  });

  it("does not read inherited properties of the environment object", () => {
    assert.equal(resolve(`\${constructor}`).issues.length, 1);
  });
});

describe("secret files", () => {
  function folder(context: TestContext): string {
    const path = mkdtempSync(join(tmpdir(), "talaria-config-"));
    context.after(() => rmSync(path, { recursive: true }));
    return path;
  }

  it("are read beside the configuration, without the line end", (context) => {
    const home = folder(context);
    writeFileSync(join(home, "token"), "s3cret value\n", { mode: 0o600 });
    symlinkSync(join(home, "token"), join(home, "link"));
    const read = secretFileReader(join(home, "config.yaml"));
    assert.equal(read("token"), "s3cret value");
    assert.equal(read("./link"), "s3cret value");
  });

  it("are refused when others may read them, or when there is nothing to read", (context) => {
    const home = folder(context);
    const read = secretFileReader(join(home, "config.yaml"));
    writeFileSync(join(home, "token"), "value", { mode: 0o600 });
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      chmodSync(join(home, "token"), mode);
      assert.throws(() => read("token"), /open to other users: run chmod 600/);
    }
    writeFileSync(join(home, "empty"), "\n", { mode: 0o600 });
    writeFileSync(join(home, "large"), "x".repeat(65_537), { mode: 0o600 });
    assert.throws(() => read("empty"), /is empty/);
    assert.throws(() => read("large"), /larger than 64 KiB/);
    assert.throws(() => read("missing"), /does not exist/);
    assert.throws(() => read("."), /not a regular file/);
  });

  it("disable only the account that names them", (context) => {
    const home = folder(context);
    writeFileSync(join(home, "open"), "value-of-the-secret", { mode: 0o644 });
    writeFileSync(join(home, "safe"), "value-of-the-other", { mode: 0o600 });
    chmodSync(join(home, "open"), 0o644);
    const text = `accounts:
  a: { platform: telegram, token: { file: open } }
  b: { platform: telegram, token: { file: safe } }
`;
    const { config, secrets } = loadConfig(text, { file: join(home, "config.yaml"), env: {} });
    assert.match(config.disabled[0]?.reason ?? "", /token secret file open is open to other users/);
    assert.deepEqual(config.accounts.b?.settings, { token: "value-of-the-other" });
    assert.deepEqual(secrets, ["value-of-the-other"]);
  });
});
