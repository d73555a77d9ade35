import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type AccountId, brandAs, type EventId } from "@talaria/protocol";
import { english } from "@talaria/words";
import pg from "pg";
import { waitFor } from "../support/wait-for.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

const { stopped, nothingToStop, answerWithheld, answerGoesOut } = english.notices;
/** Nothing is tried again before the gateway is killed. */
const busy = { kind: "answer", code: 429, retryAfter: 600, effect: "none" } as const;
const lost = { kind: "answer", code: 502, effect: "done" } as const;

describe("an answer that is written and waits for the platform when somebody stops it", () => {
  let world: FleetWorld;
  let gateway: FleetProcess;
  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000 });
    [gateway] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
  });
  after(() => world?.[Symbol.asyncDispose]());

  /** From now on the platform does that with each new message to this person, until the answer says that it is over. */
  function failSending(
    talk: Talk,
    fault: typeof busy | typeof lost,
  ): { isOver: boolean; readonly refused: () => boolean } {
    const failing = { isOver: false, refused: () => calls().some(({ errorCode }) => errorCode === fault.code) };
    const isHere = ({ chat_id }: Readonly<Record<string, unknown>>) => String(chat_id) === String(talk.chat.id);
    const calls = () => world.telegram.calls.of("sendMessage").filter(({ parameters }) => isHere(parameters));
    world.telegram.fail("sendMessage", fault, 1_000, (parameters) => !failing.isOver && isHere(parameters));
    return failing;
  }

  async function waitsIn({ chat }: Talk): Promise<boolean> {
    const client = new pg.Client({ connectionString: world.fleet.databaseUrl });
    await client.connect();
    try {
      const { rowCount } = await client.query(
        `select from talaria.outbox where conversation_id = $1 and parts @? '$[*] ? (@.state == "pending" && exists(@.lastFailure))'`,
        [String(chat.id)],
      );
      return (rowCount ?? 0) > 0;
    } finally {
      await client.end();
    }
  }

  async function stop({ chat }: Talk): Promise<void> {
    const eventId = brandAs<EventId>(`u${chat.say(chat.person, "/stop").updateId}`);
    const account = brandAs<AccountId>("bot-0");
    const isTaken = async () => (await world.fleet.store.inbox.status(account, eventId))?.state === "command";
    await waitFor(isTaken, "the stop to be carried out");
  }

  async function killGateway(): Promise<void> {
    await gateway.kill();
    gateway = await world.fleet.start("gateway");
  }

  it("never arrives, also where the gateway is killed right after, and its sender reads that", async () => {
    const talk = new Talk(world);
    const failing = failSending(talk, busy);
    talk.ask();
    await waitFor(failing.refused, "the platform to refuse the answer");
    await waitFor(() => waitsIn(talk), "the gateway to know that");
    await stop(talk);
    await killGateway();
    failing.isOver = true;
    assert.equal((await talk.chat.waitForBotMessage(stopped)).text, `${stopped} ${answerWithheld}`);
    const { asked: next } = talk.ask();
    await talk.isAnswered();
    assert.equal(talk.chat.botMessages().length, 2, talk.chat.describe());
    const { messages } = await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes(next));
    assert.match(JSON.stringify(messages), /were not sent: somebody stopped them first/);
  });

  it("goes out where it may have arrived, also where the gateway is killed right after, and its sender reads that", async () => {
    const talk = new Talk(world);
    const failing = failSending(talk, lost);
    talk.ask();
    await waitFor(failing.refused, "an answer that arrives without the gateway hearing of it");
    await stop(talk);
    await killGateway();
    failing.isOver = true;
    assert.equal((await talk.chat.waitForBotMessage(nothingToStop)).text, `${nothingToStop} ${answerGoesOut}`);
    assert.ok(talk.answered.length > 0, talk.chat.describe());
  });
});
