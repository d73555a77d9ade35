import assert from "node:assert/strict";
import { it } from "node:test";
import { notices } from "./index.ts";
import {
  type Answer,
  calls,
  fails,
  kindsOf,
  play,
  resultsOf,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

const never = () => new Promise<never>(() => {});

/** A turn whose time is over while `hang` is called, which ignores every signal. */
async function outOfTime(...answers: readonly Answer[]) {
  const time = new AbortController();
  const ending = new AbortController();
  const hang = tool("hang", "write", () => {
    setImmediate(() => time.abort());
    return never();
  });
  const model = scriptedModel(calls("look", "hang"), ...answers);
  const input = turnInput({ tools: [hang, tool("look", "read", () => "x")] });
  const played = await play(input, turnDeps(model, { signal: ending.signal, timeUp: time.signal }), (event) => {
    if (event.type === "text.delta" && event.text === "too late") ending.abort();
  });
  return { ...played, model, input };
}

it("ends what runs when its time is over, and has a last answer without tools", async () => {
  const { outcome, journal, model } = await outOfTime(says("Found two of three."));
  assert.equal(outcome.status === "failed" && outcome.code, "time_limit");
  assert.equal(outcome.status === "failed" && outcome.notice, `Found two of three.\n\n${notices.time_limit}`);
  assert.match(notices.time_limit, /took too long\. Say "continue" to go on\.$/);
  assert.deepEqual(resultsOf(journal), [
    "x",
    "Cancelled while it ran. It may have taken effect: verify before retrying.",
  ]);
  assert.deepEqual([model.requests.length, model.requests[1]?.toolChoice], [2, "none"]);
  assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /time for one answer is over/);
});

it("is cut short where the model has no last answer, or none in time", async () => {
  const failing = await outOfTime(fails("bad_request"));
  const slow = await outOfTime(async function* () {
    yield { type: "delta", text: "too late" };
    await never();
  });
  assert.deepEqual([failing.outcome.status, slow.outcome.status], ["aborted", "aborted"]);
  assert.equal(slow.outcome.status === "aborted" && slow.outcome.partial, "too late");
});

it("asks for the last answer again after a crash, and says so once", async () => {
  const { journal, input } = await outOfTime(fails("bad_request"));
  const model = scriptedModel(says("That much."));
  const again = await play({ ...input, journal: journal.slice(0, -1) }, turnDeps(model));
  assert.equal(again.outcome.status === "failed" && again.outcome.code, "time_limit");
  assert.equal(model.requests[0]?.toolChoice, "none");
  const told = kindsOf(again.journal).filter((kind) => kind === "note");
  assert.equal(told.length, 2, "of the limit, and of the end");
});

it("says in its last answer what an answer that was cut short had begun", async () => {
  const time = new AbortController();
  const model = scriptedModel(async function* () {
    yield { type: "delta", text: "I was just abo" };
    await never();
  }, says("I was looking."));
  const deps = turnDeps(model, { timeUp: time.signal });
  const { outcome, shown, journal } = await play(turnInput(), deps, (event) => {
    if (event.type === "text.delta") setImmediate(() => time.abort());
  });
  assert.equal(outcome.status === "failed" && outcome.notice, `I was looking.\n\n${notices.time_limit}`);
  assert.equal(shown, "I was looking.");
  assert.equal(journal[1]?.kind === "assistant" && journal[1].stop, "interrupted");
  assert.ok(journal[2]?.kind === "note" && journal[2].usage !== undefined, "what it cost is counted");
});

it("keeps the end of somebody who ends it", async () => {
  const abort = new AbortController();
  abort.abort();
  const model = scriptedModel(says("no"));
  const { outcome } = await play(turnInput(), turnDeps(model, { signal: abort.signal, timeUp: abort.signal }));
  assert.deepEqual([outcome.status, model.requests.length], ["aborted", 0]);
});
