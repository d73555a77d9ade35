import assert from "node:assert/strict";
import { it } from "node:test";
import { query } from "@talaria/postgres";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";
import { TroubleDesk } from "./refusals/trouble-desk.ts";

const patienceMs = 120_000;

it("owners are told of a worker that is started again and again, once, and that it has lived since", async () => {
  await using world = await startWorld({ config: () => "" });
  const { talaria } = world;
  await using desk = new TroubleDesk(talaria);
  await desk.makeHome();
  const killed: number[] = [];
  const workerNow = () =>
    waitFor(
      async () => (await talaria.processes()).find(({ kind, pid }) => kind === "worker" && !killed.includes(pid)),
      "a worker",
      patienceMs,
    );
  for (let deaths = 0; deaths < 3; deaths += 1) {
    const { pid } = await workerNow();
    process.kill(pid, "SIGKILL");
    killed.push(pid);
  }
  await workerNow();
  const heard = async () =>
    (await talaria.history("office")).flatMap(({ from, markdown }) => (from === "agent" ? [markdown] : []));
  const about = /^People get no answers from me\. The worker 1 on \S+ ends again and again, 3 times from /;
  const tell = async () => {
    await desk.news(0);
    return (await heard()).filter((text) => about.test(text));
  };
  await waitFor(async () => (await tell()).length > 0, "the owner to be told", patienceMs);
  assert.equal((await tell()).length, 1, "once an hour");
  const status = await talaria.talaria("status").catch(({ stdout }) => String(stdout));
  assert.match(status, /^PROBLEM +the worker 1 on /m);
  await query(talaria.databaseUrl ?? "", "update talaria.process set started_at = started_at - interval '11 minutes'");
  await tell();
  assert.ok(
    (await heard()).includes("It's over: the worker 1 has been running for ten minutes."),
    (await heard()).join("\n"),
  );
});
