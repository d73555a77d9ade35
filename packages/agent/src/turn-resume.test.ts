import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type ModelEvent, runTurn, type Tool, type TranscriptEntry, type TurnDeps, type TurnOutcome } from "./index.ts";
import {
  calls,
  done,
  kindsOf,
  late,
  person,
  play,
  resultsOf,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

/** One answer of the model: the tools it calls. */
type Plan = readonly (readonly ("read" | "write" | "broken" | "missing")[])[];

/** When a life of the turn ends: before the event with this number is written, or right after. */
interface Crash {
  readonly at: number;
  readonly written: boolean;
}

const plans: fc.Arbitrary<Plan> = fc.array(
  fc.array(fc.constantFrom("read", "write", "broken", "missing"), { minLength: 1, maxLength: 5 }),
  { maxLength: 4 },
);
const crashes: fc.Arbitrary<readonly Crash[]> = fc.array(
  fc.record({ at: fc.integer({ min: 1, max: 30 }), written: fc.boolean() }),
  { maxLength: 3 },
);

it("resumes from the journal after a crash anywhere: one result for every call, no write twice", async () => {
  await fc.assert(
    fc.asyncProperty(plans, crashes, fc.integer({ min: 0, max: 4 }), async (plan, ends, steerAfter) => {
      const world = makeWorld(plan, steerAfter);
      let journal: readonly TranscriptEntry[] = [said("go")];
      for (const crash of ends) {
        const life = await live(journal, world, crash);
        journal = life.journal;
        if (life.outcome !== undefined) break;
      }
      const { outcome, journal: whole } = await live(journal, world);
      assert.equal(outcome?.status, "completed");
      assertSound(whole, world.writes);
      assert.equal(whole.filter((entry) => entry.kind === "assistant").length, plan.length + 1 + world.steeredAtEnd());
    }),
    { numRuns: 400 },
  );
});

it("takes in what was said before it asks the model, when the last holder died after the calls and did not look", async () => {
  const journal: TranscriptEntry[] = [
    said("go"),
    {
      kind: "assistant",
      content: "",
      toolCalls: [{ callId: "c1", name: "read", arguments: "{}" }],
      model: "m",
      stop: "tool_calls",
    },
    { kind: "tool.started", callId: "c1", name: "read" },
    { kind: "tool.result", callId: "c1", name: "read", content: "seen", isError: false },
  ];
  const model = scriptedModel(says("I stop."));
  const deps = turnDeps(model, { steering: late([said("wait, don't!")]) });
  await play(turnInput({ journal, tools: [tool("read", "read", () => "seen")] }), deps);
  assert.deepEqual(
    model.requests.map(({ messages }) => messages.at(-1)?.content),
    ["wait, don't!"],
  );
});

it("resumes after a crash at every single event of a turn, and at every two", async () => {
  const plan: Plan = [
    ["read", "write", "read"],
    ["write", "missing"],
  ];
  const ends = Array.from({ length: 24 }, (_, at) => at + 1).flatMap((at) => [
    { at, written: false },
    { at, written: true },
  ]);
  for (const first of ends) {
    for (const second of [undefined, ...ends.slice(0, 16)]) {
      const world = makeWorld(plan, 1);
      const one = await live([said("go")], world, first);
      const two = second === undefined || one.outcome !== undefined ? one : await live(one.journal, world, second);
      const { outcome, journal } = two.outcome === undefined ? await live(two.journal, world) : two;
      assert.equal(outcome?.status, "completed");
      assertSound(journal, world.writes);
    }
  }
});

it("reports an interrupted write as unknown and runs an interrupted read again", async () => {
  const model = scriptedModel(calls("read", "write", "write"), says("ok"));
  let reads = 0;
  let writes = 0;
  const tools = [tool("read", "read", () => `read ${++reads}`), tool("write", "write", () => `write ${++writes}`)];
  const first = runTurn(turnInput({ tools }), turnDeps(model));
  const journal: TranscriptEntry[] = [said("hello")];
  for await (const event of first) {
    if (event.type !== "journal") continue;
    if (writes === 1) break;
    journal.push(...event.entries.filter((entry) => entry.kind !== "tool.result"));
  }
  const resumed = await play(turnInput({ tools, journal }), turnDeps(scriptedModel(says("ok"))));
  assert.deepEqual(resultsOf(resumed.journal), ["read 2", "UNKNOWN: interrupted, verify before retrying", "write 2"]);
  assert.deepEqual([reads, writes], [2, 2]);
  assert.equal(kindsOf(resumed.journal).filter((kind) => kind === "tool.started read").length, 1);
});

it("shows what was said so far again after a crash, and remembers who asked", async () => {
  const seen: number[] = [];
  const look = tool("look", "read", ({ requesters }) => String(seen.push(requesters.length)));
  const journal: TranscriptEntry[] = [
    said("a"),
    {
      kind: "assistant",
      content: "Let me see.",
      toolCalls: [{ callId: "c1", name: "look", arguments: "{}" }],
      model: "m",
      stop: "tool_calls",
    },
    { kind: "tool.started", callId: "c1", name: "look" },
    { kind: "tool.result", callId: "c1", name: "look", content: "x", isError: false },
    said("b", person("2")),
  ];
  const { shown, events } = await play(
    turnInput({ tools: [look], journal }),
    turnDeps(scriptedModel(calls("look"), says("Seen."))),
  );
  assert.deepEqual(events[0], { type: "text.delta", text: "Let me see." });
  assert.equal(shown, "Seen.");
  assert.deepEqual(seen, [2]);
});

it("ends a turn whose last answer is already in the journal without asking the model again", async () => {
  const { journal } = await play(turnInput(), turnDeps(scriptedModel(says("All done."))));
  const model = scriptedModel(says("again"));
  const { outcome } = await play(turnInput({ journal }), turnDeps(model));
  assert.equal(outcome.status === "completed" && outcome.markdown, "All done.");
  assert.deepEqual(outcome.final, []);
  assert.equal(model.requests.length, 0);
});

/** A model that follows the plan by what it sees, tools that count their effects, and one late message. */
function makeWorld(plan: Plan, steerAfter: number) {
  const writes = new Map<string, number>();
  const tools: Tool[] = [
    tool("read", "read", () => "seen"),
    tool("broken", "read", () => {
      throw new Error("broken");
    }),
    tool("write", "write", async ({ idempotencyKey, progress }) => {
      writes.set(idempotencyKey, (writes.get(idempotencyKey) ?? 0) + 1);
      progress("writing");
      await null;
      return "written";
    }),
  ];
  const model = scriptedModel((request): readonly ModelEvent[] => {
    const step = request.messages.filter((message) => message.role === "assistant").length;
    const names = plan[step];
    if (names === undefined) return says(`answer ${step}`);
    const toolCalls = names.map((name, n) => ({ callId: `s${step}n${n}`, name, arguments: `{"n":${step * 10 + n}}` }));
    return [{ type: "delta", text: `step ${step}` }, done(`step ${step}`, toolCalls, "tool_calls")];
  });
  const late = said("one more thing", person("2"));
  const steering =
    (journal: TranscriptEntry[]): TurnDeps["steering"] =>
    async (unwritten) => {
      const answers = [...journal, ...unwritten].filter((entry) => entry.kind === "assistant").length;
      if (answers < steerAfter || journal.includes(late)) return [];
      const written = [...unwritten, late];
      journal.push(...written);
      return written;
    };
  let lateAtEnd = 0;
  return {
    writes,
    tools,
    model,
    steering,
    note: (journal: readonly TranscriptEntry[]) => {
      const before = journal[journal.indexOf(late) - 1];
      lateAtEnd = before?.kind === "assistant" ? 1 : 0;
    },
    steeredAtEnd: () => lateAtEnd,
  };
}

async function live(start: readonly TranscriptEntry[], world: ReturnType<typeof makeWorld>, crash?: Crash) {
  const journal = [...start];
  const input = turnInput({ journal: start, tools: world.tools, maxSteps: 30 });
  const turn = runTurn(input, turnDeps(world.model, { steering: world.steering(journal) }));
  let outcome: TurnOutcome | undefined;
  for (let number = 1; ; number += 1) {
    const step = await turn.next();
    if (step.done) {
      outcome = step.value;
      journal.push(...step.value.final);
      break;
    }
    const isLast = number === crash?.at;
    if (step.value.type === "journal" && (!isLast || crash.written)) journal.push(...step.value.entries);
    if (isLast) break;
  }
  if (outcome === undefined) await turn.return(undefined as never);
  if (journal.some((entry) => entry.kind === "user" && entry.markdown === "one more thing")) world.note(journal);
  return { journal, outcome };
}

function assertSound(journal: readonly TranscriptEntry[], writes: ReadonlyMap<string, number>): void {
  const asked = journal.filter((entry) => entry.kind === "assistant").flatMap((entry) => entry.toolCalls);
  const answered = journal.filter((entry) => entry.kind === "tool.result").map((entry) => entry.callId);
  assert.deepEqual(
    answered,
    asked.map((call) => call.callId),
    "every call has one result, in source order",
  );
  assert.ok(
    [...writes.values()].every((count) => count === 1),
    "no write ran twice",
  );
  const started = new Set(
    journal.filter((entry) => entry.kind === "tool.started").map((entry) => `turn-1:${entry.callId}`),
  );
  assert.ok(
    [...writes.keys()].every((key) => started.has(key)),
    "no write ran without a recorded start",
  );
}
