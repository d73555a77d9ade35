import assert from "node:assert/strict";
import { callTool, hold, modelFault, say } from "@talaria/testkit";
import { waitFor } from "../../support/wait-for.ts";
import type { Plan } from "./answers.ts";
import type { FleetProcess } from "./fleet-process.ts";
import { type Journey, patienceMs } from "./journey.ts";
import { anything, TableHold } from "./table-hold.ts";

/** One place on the way of a message where a process is killed. */
export interface Death {
  readonly killed: FleetProcess["kind"];
  readonly when: string;
  /** A message of the platform that grows. */
  readonly previewed?: "a draft will do" | "a message";
  /** Writes the question, waits until it is at this place, and kills. */
  readonly crash: (journey: Journey) => Promise<unknown>;
  /** Looks at what must be so in the end, on whatever platform. */
  readonly check?: (journey: Journey) => unknown;
}

/** Every place of the design's list of crashes, in the order of a message's way. */
export const deaths = {
  fetched: {
    killed: "gateway",
    when: "a message is fetched and not committed",
    crash: async (journey) => {
      const seen = await TableHold.take(journey.world.fleet.databaseUrl, "seen");
      await journey.write();
      await seen.waitForWriter(anything);
      await journey.gateway.kill();
      await seen.cut();
      await seen.release();
      assert.equal(await journey.isRecorded(), false);
    },
  },
  committed: {
    killed: "gateway",
    when: "the message is committed, nobody is woken and the platform is not told",
    crash: async (journey) => {
      const seen = await TableHold.take(journey.world.fleet.databaseUrl, "seen");
      await journey.write();
      await seen.waitForWriter(anything);
      const killed = journey.gateway.kill();
      await seen.release();
      await killed;
      await journey.isAsked();
      await journey.isAnswered();
    },
  },
  claimed: {
    killed: "worker",
    when: "the session is claimed and the turn has not begun",
    crash: async (journey) => {
      // A begin writes to this table, a claim does not.
      const entries = await TableHold.take(journey.world.fleet.databaseUrl, "entry");
      await journey.write();
      await entries.waitForWriter("begin_turn");
      await journey.worker.kill();
      await entries.cut();
      await entries.release();
    },
  },
  asked: {
    killed: "worker",
    when: "the model is asked and has not answered",
    crash: async (journey) => {
      journey.world.answers.plan(journey.asked, modelFault.silent);
      await journey.write();
      await journey.isAsked();
      await journey.worker.kill();
    },
  },
  drafted: {
    killed: "worker",
    when: "half of the answer is shown",
    previewed: "a draft will do",
    crash: async (journey) => {
      journey.world.answers.plan(journey.asked, () => modelFault.stallAfter(halfOf(journey)));
      await journey.write();
      await journey.isGlanced(halfOf(journey));
      await journey.worker.kill();
    },
  },
  called: {
    killed: "worker",
    when: "the intent of a tool call is stored and its result is not",
    crash: async (journey) => {
      const gate = Promise.withResolvers<void>();
      const call = callTool("current_time", {}, { id: "call_lost" });
      journey.world.answers.plan(journey.asked, () => [...hold(gate.promise), ...call]);
      await journey.write();
      await journey.isAsked();
      const entries = await TableHold.take(journey.world.fleet.databaseUrl, "entry");
      gate.resolve();
      await entries.waitForWriter("append_entries");
      await journey.worker.kill();
      await entries.release();
    },
    check: (journey) => {
      const results = journey.resultsOf("call_lost");
      assert.equal(results.length, 1);
      assert.match(results[0] ?? "", /UTC: 20/);
    },
  },
  returned: {
    killed: "worker",
    when: "a tool has run and the model is told so",
    crash: async (journey) => {
      const call = callTool("current_time", {}, { id: "call_kept" });
      journey.world.answers.plan(journey.asked, () => call, modelFault.silent);
      await journey.write();
      await waitFor(() => journey.resultsOf("call_kept").length > 0, "the request with the result", patienceMs);
      await journey.worker.kill();
    },
    check: (journey) => {
      const [first, second, ...more] = journey.resultsOf("call_kept");
      assert.match(first ?? "", /UTC: 20/);
      assert.equal(second, first, "the result of the one call, to the millisecond");
      assert.deepEqual(more, []);
    },
  },
  undone: {
    killed: "worker",
    when: "it commits the turn, and the commit is undone",
    crash: async (journey) => {
      const outbox = await TableHold.take(journey.world.fleet.databaseUrl, "outbox");
      await journey.write();
      await outbox.waitForWriter("commit_turn");
      await journey.worker.kill();
      await outbox.cut();
      await outbox.release();
    },
  },
  answered: {
    killed: "worker",
    when: "the turn is committed and the gateway is not told",
    crash: async (journey) => {
      const outbox = await TableHold.take(journey.world.fleet.databaseUrl, "outbox");
      await journey.write();
      await outbox.waitForWriter("commit_turn");
      const killed = journey.worker.kill();
      await outbox.release();
      await killed;
    },
    check: (journey) => assert.equal(journey.timesAsked(), 1),
  },
  unsent: {
    killed: "gateway",
    when: "a turn runs, which commits without one, and nothing is sent",
    crash: async (journey) => {
      const gate = Promise.withResolvers<void>();
      journey.world.answers.plan(journey.asked, (answer) => [...hold(gate.promise), ...answer]);
      await journey.write();
      await journey.isAsked();
      await journey.gateway.kill();
      gate.resolve();
      await journey.isAnswered();
      assert.equal((await journey.world.fleet.backlog()).pendingDeliveries, 1);
    },
    check: (journey) => assert.equal(journey.timesAsked(), 1),
  },
  posted: {
    killed: "gateway",
    when: "the answer is posted and its id is not recorded",
    crash: async (journey) => {
      void journey.screen.lose(journey.asked);
      await journey.write();
      await journey.isShown(journey.asked);
      await journey.gateway.kill();
    },
  },
  postedTwice: {
    killed: "gateway",
    when: "it posts the answer for the second time, after a first death in the same place",
    crash: async (journey) => {
      const { screen, asked, world } = journey;
      void screen.lose(asked);
      const again = screen.lose(asked);
      await journey.write();
      await journey.isShown(asked);
      await journey.gateway.kill();
      const second = await world.fleet.start("gateway");
      // Where the platform can be asked, it is not posted again.
      await Promise.race([again.then(() => journey.isShown(asked)), journey.isDelivered()]);
      await second.kill();
    },
  },
  postedInPart: {
    killed: "gateway",
    when: "the second part of a long answer is posted and its id is not recorded",
    crash: async (journey) => {
      const words = "word ".repeat(journey.screen.longText / 5);
      const paragraphs = parts.map((part) => `${part} ${words}`).join("\n\n");
      journey.world.answers.plan(journey.asked, (answer) => [...answer, ...say(`\n\n${paragraphs}`)]);
      void journey.screen.lose("second");
      await journey.write();
      await journey.isShown("second");
      await journey.gateway.kill();
    },
  },
  previewing: {
    killed: "worker",
    when: "a preview of the answer stands there",
    previewed: "a message",
    crash: async (journey) => {
      journey.world.answers.plan(journey.asked, () => modelFault.stallAfter(halfOf(journey)));
      await journey.write();
      await journey.isShown(halfOf(journey));
      await journey.worker.kill();
    },
  },
  previewStored: {
    killed: "gateway",
    when: "a preview of the answer stands there and its id is stored",
    previewed: "a message",
    crash: async (journey) => {
      const gate = Promise.withResolvers<void>();
      journey.world.answers.plan(journey.asked, halves(journey, gate.promise));
      await journey.write();
      await journey.previewIsStored();
      await journey.gateway.kill();
      gate.resolve();
      await journey.isAnswered();
    },
  },
  previewPosted: {
    killed: "gateway",
    when: "a preview is posted and its id is not stored",
    previewed: "a message",
    crash: async (journey) => {
      const gate = Promise.withResolvers<void>();
      journey.world.answers.plan(journey.asked, halves(journey, gate.promise));
      void journey.screen.lose(halfOf(journey));
      await journey.write();
      await journey.isShown(halfOf(journey));
      await journey.gateway.kill();
      gate.resolve();
      await journey.isAnswered();
    },
  },
} satisfies Record<string, Death>;

export type DeathName = keyof typeof deaths;

/** The words of which each part of a long answer has one. */
export const parts = ["first", "second", "third"] as const;

/** Words that no other answer has, and no question in them. */
function halfOf({ asked }: Journey): string {
  return `Half ${asked.slice(1)}.`;
}

function halves(journey: Journey, between: Promise<void>): Plan {
  return (answer) => [...say(`${halfOf(journey)} `), ...hold(between), ...answer];
}
