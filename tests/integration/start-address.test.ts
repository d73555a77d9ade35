import assert from "node:assert/strict";
import { it } from "node:test";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

const consoleAt = /Talaria is ready after .* (http:\S+\/)console\/ /;

it("the port that the system has chosen is told, at the start and to every command", async () => {
  await using talaria = await Installation.start({ config: "", port: 0, database: "shared" });
  const [, url = ""] = consoleAt.exec(talaria.output) ?? [];
  assert.notEqual(new URL(url).port, "0");
  assert.equal((await fetch(`${url}healthz`)).status, 200);

  assert.ok((await talaria.talaria("status")).includes(`\nconsole     ${url}console/\n`));

  const verified = await talaria.talaria("verify", "--no-kill", "--conversations", "1", "--messages", "1", "--yes");
  assert.match(verified, /^lost +0$/m);

  const [gateway] = (await talaria.processes()).filter(({ kind }) => kind === "gateway");
  process.kill(gateway?.pid ?? 0, "SIGKILL");
  const next = () => /the gateway listens on (http:\S+) now/.exec(talaria.output)?.[1];
  const moved = await waitFor(next, "the new address is told");
  assert.equal((await fetch(`${moved}/healthz`)).status, 200);
});
