import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFile, mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { createTestStore, entryOf } from "../../../../packages/store/src/test-store.ts";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { logLine } from "../logs/log-line.ts";
import { mainFile } from "../start/main-file.ts";

const entry = (n: number, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ level: "info", time: "2026-11-01T10:00:00.123Z", pid: 7, name: "gateway", n, ...more, msg: "event recorded" })}\n`;

describe("talaria logs", () => {
  let home: string;
  let file: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "talaria-logs-"));
    await mkdir(join(home, "logs"));
    file = join(home, "logs", "talaria.log");
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const logs = (...words: string[]) => runTalaria(["logs", "--home", home, ...words]);

  it("shows the last lines for people, the oldest first, going on in the older file", async () => {
    await writeFile(`${file}.1`, entry(1) + entry(2));
    await writeFile(file, `${entry(3)}started by hand\n${entry(4)}`);
    const { stdout } = await logs("--lines", "4");
    const line = (n: number) => `2026-11-01 10:00:00 INFO  gateway event recorded  n=${n}\n`;
    assert.equal(stdout, `${line(2)}${line(3)}started by hand\n${line(4)}`);
  });

  it("finds lines over many pieces of a large file, and says when it has not read everything", async () => {
    const long = "x".repeat(300_000);
    await writeFile(file, entry(1, { long }) + entry(2, { accountId: "b" }) + entry(3, { long }));
    assert.match((await logs("--account", "b")).stdout, /n=2 accountId=b\n$/);
    await writeFile(file, entry(1, { accountId: "b" }) + entry(2, { long }).repeat(60));
    const cut = await logs("--account", "b");
    assert.deepEqual([cut.stdout, /older lines were not read/.test(cut.stderr)], ["", true]);
  });

  it("keeps to a level, an account and an id that stands whole", async () => {
    await writeFile(
      file,
      entry(1, { sessionKey: "main:direct:777" }) +
        entry(2, { sessionKey: "main:direct:77" }) +
        entry(3, { level: "error", accountId: "main" }),
    );
    assert.match((await logs("--about", "77")).stdout, /^[^\n]* n=2 [^\n]*\n$/);
    assert.match((await logs("--level", "warn")).stdout, /^[^\n]* ERROR [^\n]* n=3 [^\n]*\n$/);
    assert.match((await logs("--account", "main")).stdout, /^[^\n]* n=3 [^\n]*\n$/);
    assert.match((await logs("--level", "loud")).stderr, /--level has to be debug, info, warn or error/);
  });

  it("lets no control character of a stranger through, and colours only by itself", () => {
    const hostile = JSON.stringify({
      level: "warn",
      time: "t",
      name: "worker",
      msg: "m",
      who: "\u001b[31mred\u202e\nx",
    });
    assert.equal(logLine(hostile, false), String.raw`t WARN  worker  m  who=\u001b[31mred\u202e\u000ax`);
    const coloured = logLine(hostile, true);
    assert.notEqual(coloured, logLine(hostile, false));
    assert.equal(stripVTControlCharacters(coloured), logLine(hostile, false));
    assert.equal(logLine("\u001b[2J", false), String.raw`\u001b[2J`);
  });

  it("follows what is written, over a new beginning of the file", async () => {
    await writeFile(file, entry(1));
    const child = spawn(process.execPath, [mainFile, "logs", "--follow", "--home", home]);
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    try {
      await waitFor(() => output.includes("n=1\n"), "the line that is there");
      await appendFile(file, entry(2).slice(0, 20));
      await appendFile(file, entry(2).slice(20));
      await waitFor(() => output.includes("n=2\n"), "the next line");
      await truncate(file);
      await waitFor(async () => {
        await appendFile(file, entry(3));
        return output.includes("n=3\n");
      }, "a line after the new beginning");
    } finally {
      child.kill();
    }
  });

  it("keeps to a person and goes on with what they write, and looks for the words as an id while no database answers", async () => {
    await using test = await createTestStore();
    const ofPerson = ["--person", "42", "--follow", "--lines", "9"];
    const record = (id: string) => test.store.inbox.record(entryOf(id, "c1"));
    const line = (n: number, eventId: string) => entry(n, { accountId: "acct", eventId });
    await record("e1");
    await writeFile(file, line(1, "e1") + line(2, "other"));
    const env = { ...process.env, DATABASE_URL: test.url };
    const child = spawn(process.execPath, [mainFile, "logs", ...ofPerson, "--home", home], { env });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    try {
      await waitFor(() => output.includes("n=1 "), "the line that is there");
      await record("e2");
      await appendFile(file, line(3, "other") + line(4, "e2"));
      await waitFor(() => output.includes("n=4 "), "the line about the next message");
      assert.doesNotMatch(output, /n=[23] /);
    } finally {
      child.kill();
    }
    await writeFile(file, entry(5, { senderId: "42" }) + entry(6, { senderId: "427" }));
    const away = await logs("--person", "42");
    assert.match(away.stdout, /^[^\n]* n=5 [^\n]*\n$/);
    assert.match(away.stderr, /names 42 as an id, since names can't be looked up: Talaria isn't running/);
  });

  it("says where there is no log", async () => {
    const { code, stderr } = await logs();
    assert.deepEqual([code, /there is no .*talaria\.log: Talaria writes it when it runs/.test(stderr)], [1, true]);
  });
});
