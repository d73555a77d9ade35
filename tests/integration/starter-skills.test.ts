import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import { createSandbox, type Sandbox } from "@talaria/sandbox";
import { starterFolder } from "@talaria/skills";
import { options } from "../../packages/sandbox/src/conformance.ts";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";

const skip = skipWithoutPeers(process.env.CI);

/** As the agent uses them: a script is written into the workspace of the conversation and run there. */
describe("scripts of the skills that come with Talaria, in the sandbox", { skip }, () => {
  let base: string;
  let sandbox: Sandbox;
  let workspace: Workspace;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-starter-"));
    await chmod(base, 0o711);
    sandbox = createSandbox({ backend: "sandbox", folder: base }, { clock: systemClock, log: silentLog });
    assert.deepEqual((await sandbox.start()).reasons, []);
    workspace = await sandbox.open("a");
  });
  after(async () => {
    await sandbox?.stop();
    await rm(base, { recursive: true, force: true });
  });

  async function run(script: string, input: string, rest = "") {
    const text = await readFile(join(starterFolder, script), "utf8");
    await workspace.write("script.sh", Buffer.from(text));
    await workspace.write("input", Buffer.from(input));
    const { output, end } = await workspace.exec({ command: `sh script.sh input ${rest}`, network: [] }, options);
    return { lines: output.trim().split("\n"), exitCode: end.kind === "exit" ? end.code : end.kind };
  }

  it("csv-report finds separator, gaps, doubled rows and sums, with quotes and a mark at the beginning", async () => {
    const csv = '\uFEFFname;amount;note\r\nAda;1.234,50;"a;b"\r\nBo;2,5;\r\nBo;2,5;\r\n"C ""x""";;hi\r\nshort;1\r\n';
    assert.deepEqual((await run("csv-report/scripts/profile.sh", csv, "';' comma")).lines, [
      "rows: 5, columns: 3, separator: ;, doubled rows: 1, rows with another number of fields: 1",
      "name: 5 values, 0 empty, 4 different",
      "amount: 4 values, 1 empty, 3 different, least 1, greatest 1234.5, sum 1240.5, mean 310.125",
      "note: 2 values, 3 empty, 2 different",
    ]);
    const [first, , amount] = (await run("csv-report/scripts/profile.sh", "a\tb\nx\t-0.5\ny\t2\nz\tn/a\n")).lines;
    assert.match(first ?? "", /^rows: 3, columns: 2, separator: tab,/);
    assert.equal(amount, "b: 3 values, 0 empty, 3 different, of these 2 numbers");
    assert.deepEqual(await run("csv-report/scripts/profile.sh", ""), { lines: ["the file is empty"], exitCode: 1 });
  });

  it("expense-report adds up cents by category and payer, never one currency to another, and names what it can't read", async () => {
    const lines = [
      "date,payer,category,amount,currency,what",
      '2026-03-31,Ada,food,12.5,EUR,"lunch, two"',
      "2026-03-31,Bo,food,0.07,EUR,roll",
      "2026-04-01,Bo,travel,-3,USD,refund",
      "2026-4-1,Bo,travel,3,USD,no such day",
      "2026-04-01,Bo,travel,3.005,USD,a tenth of a cent",
    ];
    assert.deepEqual(await run("expense-report/scripts/totals.sh", lines.join("\n")), {
      lines: [
        "line 5: the day is not like 2026-03-31",
        "line 6: the amount is not like 12.50",
        "category food: 12.57 EUR",
        "payer Ada: 12.50 EUR",
        "all: 12.57 EUR",
        "payer Bo: 0.07 EUR",
        "category travel: -3.00 USD",
        "payer Bo: -3.00 USD",
        "all: -3.00 USD",
        "3 expenses, 2 lines to mend",
      ],
      exitCode: 1,
    });
  });

  it("log-triage groups lines that differ in numbers and ids", async () => {
    const log = [
      '2026-01-01T00:00:01Z ERROR db 12 lost "abc"',
      "2026-01-01T00:00:02Z info ok",
      '2026-01-02T00:10:02Z ERROR db 13 lost "def"',
      "2026-01-02 WARN disk 91%",
    ];
    assert.deepEqual((await run("log-triage/scripts/group-errors.sh", log.join("\n"))).lines, [
      `2 times, line 1 to 3: ${log[0]}`,
      `1 times, line 4 to 4: ${log[3]}`,
      "3 of 4 lines in 2 groups",
    ]);
  });

  it("study-cards names cards that can't be imported, and is content with good ones", async () => {
    const cards = "q1\ta1\nq1\ta2\nx\n\nq2\t \nq3\ta3\r\n";
    assert.deepEqual(await run("study-cards/scripts/check-cards.sh", cards), {
      lines: [
        "line 2: the same question as in line 1",
        "line 3: 0 tabs instead of one",
        "line 4: empty",
        "line 5: question or answer is empty",
        "2 cards, 4 to mend",
      ],
      exitCode: 1,
    });
    assert.deepEqual(await run("study-cards/scripts/check-cards.sh", "q\ta\n"), {
      lines: ["1 cards, 0 to mend"],
      exitCode: 0,
    });
  });
});
