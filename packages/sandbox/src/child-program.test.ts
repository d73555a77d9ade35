import assert from "node:assert/strict";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { startChild } from "./child-program.ts";
import { heard, text } from "./heard.ts";
import { wholeEnd } from "./whole-end.ts";

it("keeps what a program has said that was gone before anybody read it", async () => {
  const words = ["/bin/sh", "-c", "echo out; echo err >&2; seq 1 5000"];
  const program = await startChild(words, {}, { stderr: "apart" });
  await systemClock.sleep(500);
  assert.ok(program.errors);
  const [output, errors] = [text(program.output), text(program.errors)];
  assert.deepEqual(await wholeEnd(program), { code: 0 });
  assert.equal(output.said, `out\n${Array.from({ length: 5_000 }, (_, n) => `${n + 1}\n`).join("")}`);
  await heard(errors, "err\n");
});
