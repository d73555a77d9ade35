import assert from "node:assert/strict";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { startChild } from "./child-program.ts";
import { collect } from "./collect.ts";

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutputChars: 1_000_000 };

it("keeps what a program has said that was gone before anybody read it", async () => {
  const words = ["/bin/sh", "-c", "echo out; echo err >&2; seq 1 5000"];
  const program = await startChild(words, {}, { stderr: "apart" });
  await systemClock.sleep(500);
  let errors = "";
  program.errors?.on("data", (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const { output, end } = await collect(program, options, systemClock);
  assert.deepEqual(end, { kind: "exit", code: 0 });
  assert.equal(output, `out\n${Array.from({ length: 5_000 }, (_, n) => `${n + 1}\n`).join("")}`);
  assert.equal(errors, "err\n");
});
