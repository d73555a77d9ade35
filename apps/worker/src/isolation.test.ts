import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assemblePrompt, type ModelEvent, type ModelPort, type ModelRequest } from "@talaria/agent";
import { type AccountPolicy, brandAs, type Log, type ProcessId, type SessionKey, silentLog } from "@talaria/protocol";
import { createGate } from "@talaria/sessions";
import { messageFrom } from "@talaria/testkit";
import { builtinTools } from "@talaria/tools";
import { createTestStore, noLimits, type TestStore, TestWorker } from "./worker.fixture.ts";

const accounts = ["acme-telegram", "acme-slack", "labs-discord", "labs-matrix"];
const peopleOfEach = 16;
const rounds = 3;

/** Somebody with a secret for the agent alone, and another for the group. The same id stands for others on other accounts. */
interface Person {
  readonly account: string;
  readonly id: string;
  readonly own: string;
  readonly shared: string;
}

const people: readonly Person[] = accounts.flatMap((account, a) =>
  Array.from({ length: peopleOfEach }, (_, n) => ({
    account,
    id: `person-${n}`,
    own: `canary-own-${a}-${n}-end`,
    shared: `canary-shared-${a}-${n}-end`,
  })),
);

/** A turn that somebody asks for: in private, or in the group of their account. */
const asked = shuffled(
  Array.from({ length: rounds }, () =>
    people.flatMap((person) => [
      { person, isPrivate: true },
      { person, isPrivate: false },
    ]),
  ).flat(),
);

const group = "room";

describe("64 people who talk to the agent at once", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("reach nobody but themselves with what they say: no answer, prompt, log or metric of another session", async () => {
    const said: string[] = [];
    const told = (...values: readonly unknown[]) => void said.push(JSON.stringify(values));
    const log: Log = { ...silentLog, info: told, warn: told, error: told, child: () => log };
    const waking = new Set<SessionKey>();
    const gate = createGate({
      agentName: "Talaria",
      maxTextChars: 10_000,
      policyOf: () => policy,
      inbox: test.store.inbox,
      calls: test.store.calls,
      pairing: test.store.pairing,
      operations: test.store.operations,
      spending: noLimits,
      wake: (key) => waking.add(key),
      wakeIn: (key) => waking.add(key),
      cancel: () => undefined,
      deliver: () => undefined,
      count: (outcome, _event, reason) => told(outcome, reason),
      log,
    });
    const model = new Parrot();
    const metrics = { turnStarted: told, firstToken: told, streamed: told, toolCalled: told, stage: told };
    const workers = await Promise.all(
      [1, 2, 3].map(() =>
        TestWorker.start(test, model, {
          log,
          metrics,
          tools: builtinTools({}),
          promptFor: async (conversation, _route, person) =>
            assemblePrompt({
              agentName: "Talaria",
              instructions: "",
              platformHint: "",
              shared: conversation.kind !== "direct",
              conversation,
              ...(person === undefined || conversation.kind !== "direct" ? {} : { person }),
            }),
        }),
      ),
    );
    for (let at = 0; at < asked.length; at += 16) {
      await Promise.all(asked.slice(at, at + 16).map((one) => gate(messageOf(one))));
      const keys = [...waking];
      waking.clear();
      await Promise.all(keys.flatMap((key) => [workers[at % 3]?.run(key), workers[(at + 1) % 3]?.run(key)]));
    }
    // Another process had a session while its last message came: as the sweeper does.
    const { sessions } = await test.store.turns.stranded();
    for (const { sessionKey } of sessions) await workers[0]?.run(sessionKey);

    const requests = model.requests.map((request) => ({ key: request.cacheKey, text: JSON.stringify(request) }));
    for (const { key, text } of requests) assertOnly(text, placeOf(key), `a prompt of ${key}`);
    let answers = 0;
    for (const account of accounts) {
      const accountId = brandAs<never>(account);
      const lease = await test.store.accounts.acquire(accountId, "loopback", brandAs<ProcessId>("gateway"), 60_000);
      assert.ok(lease);
      for (const row of await test.store.outbox.due(lease, [], 1_000)) {
        answers += 1;
        assertOnly(row.markdown, { account, conversation: row.conversation.conversationId }, "an answer");
      }
    }
    const frames = workers.flatMap((worker) => worker.frames);
    const routes = new Map(frames.flatMap((one) => (one.type === "started" ? [[one.turnId, one.conversation]] : [])));
    for (const frame of frames) {
      const { accountId: account, conversationId: conversation } = routes.get(frame.turnId) ?? {};
      assertOnly(JSON.stringify(frame), { account: `${account}`, conversation: `${conversation}` }, "a frame");
    }
    for (const line of said) assert.doesNotMatch(line, /canary/, "logs and metrics say nothing that people said");
    const seen = canariesIn(requests.map(({ text }) => text).join());
    assert.equal(seen.size, people.length * 2, "every secret reached the agent");
    assert.ok(answers >= people.length, "and it repeated them");
  });

  function messageOf({ person, isPrivate }: (typeof asked)[number]) {
    const { account, id, own, shared } = person;
    const facts = { account, from: id, name: `${id} ${account}` };
    if (isPrivate) return messageFrom({ ...facts, conversation: id, text: `keep this: ${own}` });
    return messageFrom({
      ...facts,
      conversation: group,
      kind: "group",
      mentionsSelf: true,
      text: `all: ${shared}`,
    });
  }
});

/** Does the worst that a model can do: it repeats everything that it was given. */
class Parrot implements ModelPort {
  readonly requests: ModelRequest[] = [];

  async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    this.requests.push(request);
    const text = [...canariesIn(JSON.stringify(request))].join(" ");
    await new Promise((resolve) => setImmediate(resolve));
    yield { type: "delta", text };
    const message = { role: "assistant", content: text, toolCalls: [] } as const;
    yield { type: "done", message, stop: "end", servedBy: "parrot" };
  }
}

interface Place {
  readonly account: string;
  readonly conversation: string;
}

function assertOnly(text: string, { account, conversation }: Place, what: string): void {
  for (const canary of canariesIn(text)) {
    const of = people.find(({ own, shared }) => own === canary || shared === canary);
    const belongs = of?.own === canary ? of.id === conversation : conversation === group;
    assert.ok(of?.account === account && belongs, `${what} in ${conversation} on ${account} has ${canary}`);
  }
}

function canariesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/canary-(?:own|shared)-\d+-\d+-end/g));
}

function placeOf(key: SessionKey): Place {
  const [account = "", conversation = ""] = key.split("/").map(decodeURIComponent);
  return { account, conversation };
}

const policy: AccountPolicy = {
  access: {
    direct: "open",
    groups: "open",
    allow: { users: [], groups: [] },
    owners: [],
    bots: "off",
    maxBotTurns: 5,
  },
  groups: { activation: "mention", keywords: [], threadHours: 24, ambient: { messages: 20, maxAgeMs: 3_600_000 } },
  catchUp: { maxAgeMs: Number.MAX_SAFE_INTEGER, notice: true },
  sessions: { direct: "thread", groups: "thread" },
  busy: { direct: "steer", groups: "queue" },
};

/** The same order in every run. */
function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
