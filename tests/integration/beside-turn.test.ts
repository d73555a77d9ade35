import assert from "node:assert/strict";
import { it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { startDeskServer } from "../hostile/desk-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

it("answers people beside a server's long call, and tells its end, also when it was stopped, or its worker killed or stopped", async () => {
  await using desk = await startDeskServer();
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: off }
leases: { sessionMs: 3000, accountMs: 3000 }
mcp: { servers: { desk: { url: "${desk.url}" } } }
policy: { trusted: ["${desk.url}"], rules: [{ allow: the desk, permission: net, outward: true }] }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, plan, talaria } = world;
  const ada = telegram.user({ first_name: "Ada", id: 4242 });
  const chat = telegram.privateChat(ada);
  /** Has the server asked for something that it holds back, and asks how far it is. */
  async function begin(n: number): Promise<() => void> {
    const arriving = Promise.withResolvers<void>();
    desk.until = arriving.promise;
    plan.answer(`pay ${n}`, callTool("mcp_desk_pay", { n }));
    plan.answer(`how far ${n}`, say(`Number ${n} is under way.`));
    chat.say(ada, `pay ${n}`);
    await waitFor(async () => desk.calls.includes(`pay {"n":${n}}`), `payment ${n}`);
    chat.say(ada, `how far ${n}?`);
    await chat.waitForBotMessage(`Number ${n} is under way.`, 120_000);
    return arriving.resolve;
  }

  const arrive = await begin(1);
  chat.say(ada, "/processes");
  const list = await chat.waitForBotMessage(/desk\.pay/, 120_000);
  assert.match(list.text, /\d+: desk\.pay, for (1\d|[2-9]\d) seconds|for \d+ minute/, "since the call began");
  plan.answer("beside your answers, has ended", say("It is paid."));
  arrive();
  await chat.waitForBotMessage("It is paid.", 120_000);

  const endLate = await begin(2);
  chat.say(ada, "/stop");
  const stopped = await chat.waitForBotMessage(/may have taken effect/, 120_000);
  assert.match(stopped.text, /^Stopped\..*desk\.pay/s);
  endLate();
  plan.answer(
    '{"n":2}), which went on beside your answers, was cancelled: somebody has stopped',
    say("Look it up: it may be paid."),
  );
  chat.say(ada, "is it paid?");
  await chat.waitForBotMessage("Look it up: it may be paid.", 120_000);

  for (const [n, signal] of [
    [3, "SIGKILL"],
    [4, "SIGTERM"],
  ] as const) {
    await begin(n);
    plan.answer(`{"n":${n}}), which went on after its result, has ended`, say(`Nobody knows of number ${n}.`));
    const worker = (await talaria.processes()).find(({ kind }) => kind === "worker");
    assert.ok(worker);
    process.kill(worker.pid, signal);
    await chat.waitForBotMessage(`Nobody knows of number ${n}.`, 120_000);
  }
  assert.deepEqual(
    desk.calls,
    [1, 2, 3, 4].map((n) => `pay {"n":${n}}`),
  );
});
