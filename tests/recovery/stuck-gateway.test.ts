import assert from "node:assert/strict";
import { it } from "node:test";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

it("a gateway whose main thread is stuck is ended and started again", async () => {
  await using talaria = await Installation.start({ database: "shared" });
  const gateway = (await talaria.processes()).find(({ kind }) => kind === "gateway");
  assert.ok(gateway !== undefined);
  process.kill(gateway.pid, "SIGSTOP");
  await waitFor(() => talaria.output.includes("the gateway has not moved for 14 s; it is killed"), "its kill");
  await waitFor(() => talaria.output.includes("the gateway ended (SIGKILL); it starts again"), "its end");
  await waitFor(() => talaria.say("after", "are you there").catch(() => undefined), "its successor");
  await talaria.waitForLine("after", /You said: are you there/);
});
