import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  brandAs,
  type DeliveryKey,
  isGatewayError,
  type SessionKey,
  type StreamFrame,
  type TurnId,
} from "@talaria/protocol";
import { english } from "@talaria/words";
import fc from "fast-check";
import { mostRepeats } from "./after-failure.ts";
import { ConversationLane, type Pause } from "./conversation-lane.ts";
import type { Steps } from "./lane-io.ts";
import { previewKey } from "./reply-message.ts";
import { Death, ModelWorld, type Outcome } from "./test-model.ts";
import { modelText } from "./test-model-outbox.ts";
import { accountId, conversationOf } from "./test-platform.ts";

const { deliveryNotices: notices } = english;

/** `HISTORIES=100000 SEED=1 node --test packages/delivery/src/lane-model.test.ts` tries more of them. */
const numRuns = Number(process.env.HISTORIES ?? 2_000);
const seed = Number(process.env.SEED ?? 20_261_123);

const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Outcome>("ok") },
  { weight: 4, arbitrary: fc.constantFrom<Outcome>("lost-before", "lost-after") },
  { weight: 3, arbitrary: fc.constantFrom<Outcome>("busy", "forbidden", "too-large", "gone") },
  fc.integer({ min: 100, max: 20_000 }).map((limitedMs): Outcome => ({ limitedMs })),
);

/** One step of a turn or a notice, between two things the gateway does. */
const happening = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("grow" as const), turn: fc.integer({ min: 0, max: 2 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("answer" as const),
      turn: fc.integer({ min: 0, max: 2 }),
      parts: fc.integer({ min: 1, max: 3 }),
      /** The final text is what the preview shows already. */
      isSame: fc.boolean(),
    }),
  },
  fc.record({ type: fc.constant("notice" as const) }),
  fc.record({ type: fc.constantFrom("abort" as const, "shut" as const), turn: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ type: fc.constant("stop" as const) }),
);

const history = fc.record({
  facts: fc.record(
    {
      recognises: fc.boolean(),
      finds: fc.boolean(),
      removes: fc.boolean(),
      closes: fc.constant(true),
      edits: fc.constant(true),
      isGroup: fc.constant(false),
      choicesByPlace: fc.constant(false),
      whispers: fc.constant(false),
      shows: fc.constantFrom(
        ...(["message", "message", "message", "view"] as const).map((as) => ({ as, minIntervalMs: 1_000 })),
      ),
    },
    { requiredKeys: ["recognises", "finds", "removes", "closes", "edits", "isGroup", "choicesByPlace", "whispers"] },
  ),
  happenings: fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), happening), { minLength: 1, maxLength: 14 }),
  outcomes: fc.array(outcome, { maxLength: 25 }),
  /** Numbers of the steps (before or after a write or a call) at which the gateway dies. */
  deaths: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
  storeFaults: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 2 }),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

interface Turn {
  readonly turnId: TurnId;
  text: string;
  frames: number;
  ended: "text" | "aborted" | undefined;
}

/** One history, played until nothing can happen any more. */
class Play {
  readonly world: ModelWorld;
  readonly turns: readonly Turn[];
  lives = 1;
  readonly #happenings: [number, History["happenings"][number][1]][];
  #lane = new ConversationLane();

  constructor({ facts, happenings, outcomes, deaths, storeFaults }: History) {
    this.world = new ModelWorld(facts, outcomes, deaths, storeFaults);
    this.#happenings = happenings.map(([pause, what]) => [pause, what]);
    this.turns = [0, 1, 2].map((n) => ({
      turnId: brandAs<TurnId>(`turn-${n}`),
      text: "",
      frames: 0,
      ended: undefined,
    }));
  }

  run(): void {
    for (let rounds = 0; this.#isUnfinished(); rounds += 1) {
      if (rounds > 2_000) throw new Error("a history does not end");
      this.#read();
      const pause = this.#work();
      if (pause === undefined) continue;
      // While something may still happen the lane looks more often than it has to, as with every frame.
      const longestMs = this.#happenings.length > 0 ? 500 : Number.POSITIVE_INFINITY;
      this.world.time += Math.min(longestMs, pause.retryInMs ?? pause.lookInMs ?? 1_500);
      if (pause.lookInMs === undefined) this.#happen(true);
    }
  }

  #isUnfinished(): boolean {
    return this.#happenings.length > 0 || this.world.outbox.rows.some(({ state }) => state === "pending");
  }

  /** As the account does: reads what is due, and then knows that the lane has everything. */
  #read(): void {
    const { outbox, time } = this.world;
    const inFlight = this.#lane.rows.map(({ id }) => id);
    let isAll = inFlight.length === 0;
    for (const row of outbox.due(inFlight, 16, time)) {
      if (this.#lane.rows.length < 4) this.#lane.add(row);
      else {
        this.#lane.cutShort();
        isAll = false;
      }
    }
    if (isAll) this.#lane.caughtUp();
  }

  /** Undefined when a gateway died or was stopped and the next one goes on. */
  #work(): Pause | undefined {
    const steps = this.#lane.work();
    try {
      return this.#drive(steps);
    } catch (error) {
      if (!(error instanceof Death) && !isGatewayError(error)) throw error;
      if (isGatewayError(error, "internal")) {
        if (this.#lane.rows.length > 0) this.#lane.letGo();
        this.world.time += 5_000;
        return undefined;
      }
      this.#takeOver();
      return undefined;
    }
  }

  #drive(steps: Steps<Pause>): Pause {
    let step = steps.next(undefined as never);
    while (!step.done) {
      this.#happen(false);
      let answer: unknown;
      try {
        answer = step.value(this.world);
      } catch (error) {
        // A process that dies runs none of its own code any more.
        if (error instanceof Death) throw error;
        step = steps.throw(error);
        continue;
      }
      step = steps.next(answer as never);
    }
    return step.value;
  }

  #takeOver(): void {
    this.lives += 1;
    this.#lane = new ConversationLane();
    this.world.restart();
    // The workers tell the next gateway what is still growing.
    for (const turn of this.turns) if (turn.frames > 0 && turn.ended === undefined) this.#started(turn);
  }

  /** What happens now; at the latest when the gateway has nothing else to do. */
  #happen(isIdle: boolean): void {
    const [next] = this.#happenings;
    if (next === undefined) return;
    next[0] -= 1;
    if (next[0] > 0 && !isIdle) return;
    this.#happenings.shift();
    const [, what] = next;
    if (what.type === "stop") this.world.isStopping = true;
    else if (what.type === "notice") this.#commit("notice");
    else {
      const turn = this.turns[what.turn];
      if (turn === undefined || turn.ended !== undefined) return;
      if (what.type === "shut") this.world.shut.add(turn.turnId);
      else if (what.type === "grow") this.#grow(turn);
      else if (what.type === "abort") this.#end(turn, "aborted");
      else if (what.type === "answer") this.#answer(turn, what.parts, what.isSame);
    }
  }

  #commit(markdown: string, turnId?: TurnId): void {
    const n = this.world.outbox.rows.length + 1;
    const text = turnId === undefined ? `${markdown}-${n}` : markdown;
    this.world.outbox.add(modelText(n, text, "a", turnId), this.world.time);
  }

  #started(turn: Turn): void {
    const { time } = this.world;
    this.#lane.grow({ turnId: turn.turnId, conversation: conversationOf("a") }, time);
    turn.frames = 0;
    this.#frame(turn, { type: "started", conversation: conversationOf("a") });
    if (turn.text !== "") this.#frame(turn, { type: "delta", offset: 0, text: turn.text });
  }

  #grow(turn: Turn): void {
    if (turn.frames === 0) {
      if (this.lives === 1) this.world.before.set(previewKey(turn.turnId), this.world.outbox.rows.length);
      this.#started(turn);
    }
    const offset = turn.text.length;
    turn.text += "x";
    this.#frame(turn, { type: "delta", offset, text: "x" });
  }

  #frame({ turnId, frames }: Turn, what: object): void {
    const head = { accountId, sessionKey: brandAs<SessionKey>("acct/a"), turnId, fence: this.lives, n: frames };
    this.#lane.frame({ ...head, ...what } as unknown as StreamFrame, this.world.time);
    const turn = this.turns.find((one) => one.turnId === turnId);
    if (turn !== undefined) turn.frames += 1;
  }

  #end(turn: Turn, ended: "text" | "aborted"): void {
    if (ended === "aborted" && turn.frames > 0) this.#frame(turn, { type: "ended", status: "aborted" });
    turn.ended = ended;
  }

  #answer(turn: Turn, parts: number, isSame: boolean): void {
    this.#end(turn, "text");
    const n = this.world.outbox.rows.length + 1;
    const texts = Array.from({ length: parts }, (_, index) => `answer-${n}-${index}`);
    if (isSame && turn.text !== "") texts[0] = turn.text;
    this.#commit(texts.join(" "), turn.turnId);
  }
}

/** What must be so in the end, whatever happened. */
function check({ world, turns, lives }: Play, { facts, outcomes, storeFaults }: History): void {
  const isCertain = lives === 1 && storeFaults.length === 0 && !outcomes.some((one) => String(one).startsWith("lost"));
  assert.deepEqual(lives === 1 ? world.violations : world.violations.filter((one) => !one.includes("closed")), []);
  const order: string[] = [];
  for (const [index, { row, state, error }] of world.outbox.rows.entries()) {
    if (state === "failed") assert.ok(error, "a text was given up without a reason");
    const previewed = row.kind === "reply" && row.turnId !== undefined ? [previewKey(row.turnId)] : [];
    const known = previewed.length > 0 && row.turnId !== undefined ? world.outbox.previews.get(row.turnId) : undefined;
    for (const [at, part] of (row.parts ?? []).entries()) {
      const key = brandAs<DeliveryKey>(`${row.deliveryKey}#${at}`);
      order.push(key);
      const standing = world.standing(at === 0 ? [key, ...previewed] : [key]);
      if (isCertain) assert.equal(part.unknown, 0, `${part.markdown} is marked for nothing`);
      assert.ok(part.unknown <= mostRepeats, `${part.markdown} was repeated ${part.unknown} times`);
      const unmarked = world.standing([key]).filter(({ text }) => !text.startsWith(notices.sentAgain));
      if (!facts.recognises && !facts.finds) assert.ok(unmarked.length <= 1, `${key} stands there twice, unmarked`);
      const stuck = at === 0 && previewed.some((one) => world.stuck.has(one) || !facts.removes) ? 1 : 0;
      assert.ok(
        standing.length <= 1 + part.unknown + stuck,
        `${part.markdown} of row ${index + 1} stands there ${standing.length} times, unknown ${part.unknown}`,
      );
      if (part.state !== "sent") continue;
      assert.ok(part.messageId, `${part.markdown} was sent without an id`);
      const said = world.messages.get(part.messageId);
      assert.equal(said?.text, part.markdown, `${part.markdown} does not stand there`);
    }
    if (error === "not_allowed" && known?.messageId !== undefined && facts.removes && !world.stuck.has(previewed[0]!))
      assert.deepEqual(
        world.messages.get(known.messageId),
        undefined,
        "somebody who was shut out still sees a half answer",
      );
  }
  const posted = [...world.messages.values()].map(({ key }) => key).filter((key) => !key.startsWith("preview:"));
  const places = posted.map((key) => order.indexOf(key));
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
    "texts have changed places",
  );
  for (const { turnId, ended } of turns) {
    const stored = world.outbox.previews.get(turnId);
    const standing = world.standing([previewKey(turnId)]);
    // An abandoned preview is found by what is stored of it.
    if (ended !== "text" && stored?.state !== "posting")
      for (const [id, { key }] of world.messages)
        if (key === previewKey(turnId))
          assert.equal(stored?.messageId, id, `nobody knows of ${standing.length} previews`);
  }
}

describe("any history of a conversation", () => {
  it(`loses nothing, keeps the order, and repeats nothing that is not marked (${numRuns} histories)`, () => {
    fc.assert(
      fc.property(history, (given) => {
        const play = new Play(given);
        play.run();
        check(play, given);
      }),
      { numRuns, seed },
    );
  });
});
