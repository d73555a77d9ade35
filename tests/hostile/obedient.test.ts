import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { folderName } from "../../packages/sandbox/src/host-folder.ts";
import { isSamePlace } from "../support/house.ts";
import { Collector } from "./collector.ts";
import { canariesIn, canaryOf, ObedientModel } from "./obedient-model.ts";
import { type Order, openedHost, ordersFrom, traceOfCommand, traceWithNetwork } from "./orders.ts";
import { payloads } from "./payloads.ts";
import { hasSandbox, startPosture } from "./posture.ts";
import { type Props, play } from "./scenes.ts";
import { byMail, inGroup, inPrivate, presses } from "./stage.ts";

/** An operator who trusts a lot: after untrusted content it still must not be enough. */
const trusting = `
policy:
  rules:
    - { allow: reading, permission: net }
    - { allow: the network, permission: net, outward: true }
    - { allow: messages, permission: send, outward: true }
    - { allow: commands, permission: exec, outward: true }
    - { allow: plans, permission: schedule }
  trusted: ["https://api.example.com", "telegram:user:1"]
`;

const postures = [
  { title: "with the default policy", config: "" },
  { title: "of an operator who trusts a lot", config: trusting, network: `[${openedHost}]` },
];

for (const { title, ...settings } of postures)
  describe(`a model that obeys everything it reads, ${title}`, () => {
    let stage: Awaited<ReturnType<typeof setUp>>;
    let number = 0;

    before(async () => {
      stage = await setUp(settings);
    });
    after(() => stage?.[Symbol.asyncDispose]());

    for (const [index, { carrier, text }] of payloads.entries()) {
      // Nothing is kept where there are no files.
      const skip = ["memory", "workspace-file", "folder-file"].includes(carrier) && !hasSandbox;
      it(`gets nothing out and runs nothing for a ${carrier}: ${JSON.stringify(text.slice(0, 60))}`, {
        skip,
      }, async () => {
        number += 1;
        const order = stage.orders[index];
        assert.ok(order);
        await holds(order, canaryOf(number), stage);
      });
    }
  });

async function setUp(settings: { readonly config: string; readonly network?: string }) {
  await using closing = new AsyncDisposableStack();
  const collector = closing.use(await Collector.start());
  const orders = ordersFrom(payloads, collector);
  const model = new ObedientModel(orders);
  const described = orders.filter(({ payload }) => payload.carrier === "mcp-description");
  const tools = described.map(({ mark, text }) => ({ name: mark.replace("obey", "tool"), description: text }));
  const respond = model.respond;
  const alone = closing.use(await startPosture({ respond, collector, ...settings, hasDesk: false }));
  const served = closing.use(await startPosture({ respond, collector, config: settings.config }));
  const lying = closing.use(await startPosture({ respond, collector, config: settings.config, tools }));
  const all = closing.move();
  return { collector, orders, model, alone, served, lying, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type Stage = Awaited<ReturnType<typeof setUp>>;

async function holds(order: Order, secret: string, stage: Stage): Promise<void> {
  const { collector, model } = stage;
  const { carrier } = order.payload;
  const { house, desk } =
    carrier === "mcp-description" ? stage.lying : carrier === "tool-result" ? stage.served : stage.alone;
  const props: Props = { house, desk, model, collector };
  const before = { visits: collector.visits.length, names: collector.names.length, calls: desk.calls.length };
  model.listensTo = order.mark;
  const { last, visited } = await play(order, secret, props);
  assert.ok(model.obeyed.has(order.mark), "the model was shown the words, and obeyed");

  const waiting = await house.store.calls.waiting(house.keyOf(last));
  for (const { approver = "", route, askers } of waiting) {
    assert.ok(isSamePlace(route, last.conversation), "people are asked where it came up");
    // Nobody agrees for somebody stronger; what a webhook asks for, members may agree to.
    const right = last.conversation.platform === "webhook" ? ["ci", "member", "owner"] : ["ada", "owner"];
    for (const one of [...askers.map(({ sender }) => `${sender.userId}`), approver])
      assert.ok(right.includes(one), one);
  }
  await strangersDecide(
    waiting.map(({ id }) => id),
    last,
    props,
  );
  assert.equal((await house.store.calls.waiting(house.keyOf(last))).length, waiting.length, "nobody else can agree");

  for (const { conversation, markdown } of await house.written())
    if (canariesIn(markdown).size > 0)
      assert.ok(isSamePlace(conversation, last.conversation), "a secret went elsewhere");
  const visits = collector.visits.slice(before.visits);
  assert.deepEqual(
    visits.map(({ path }) => path).filter((path) => !visited.includes(path)),
    [],
    "nobody else is asked",
  );
  for (const { text } of visits) assert.equal(canariesIn(text).size, 0, text);
  assert.equal(canariesIn(collector.names.slice(before.names).join()).size, 0, "names that are looked up");
  const calls = desk.calls.slice(before.calls);
  assert.deepEqual(
    calls.filter((call) => call !== "look {}"),
    [],
  );
  // Where an owner is alone with the agent, commands that reach nothing outside may run: the sandbox is their boundary.
  const own = [folderName(house.keyOf(inPrivate("ada", "")))];
  assert.deepEqual(await traces(house.folder, traceOfCommand, own), [], "commands have run where they may not");
  assert.deepEqual(await traces(house.folder, traceWithNetwork), [], "commands have had a network");
  if (last.conversation.platform !== "webhook") await house.tell(last);
  await house.written();
}

/** A guest, a member, and somebody who only says that they are the owner, in every way that there is. */
async function strangersDecide(
  ids: readonly string[],
  { conversation }: InboundEvent,
  { house }: Props,
): Promise<void> {
  for (const id of ids) {
    const words = `/approve ${id}`;
    const attempts = [
      inPrivate("mallory", words),
      inPrivate("bob", words),
      byMail("ada", words, "claimed"),
      presses(inPrivate("mallory", ""), `approve-${id}`),
      ...(conversation.kind === "direct"
        ? []
        : ["mallory", "bob"].map((from) => ({ ...inGroup(from, words), conversation }))),
    ];
    for (const attempt of attempts) await house.receive(attempt);
  }
}

/** Where a command has left its trace, except in the workspaces named. */
async function traces(folder: string, trace: string, except: readonly string[] = []): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((path) => path.endsWith(trace) && !except.some((name) => path.startsWith(`${name}/`)));
}
