import assert from "node:assert/strict";
import { it } from "node:test";
import { runTurn, type TurnDeps } from "./index.ts";
import {
  calls,
  done,
  kindsOf,
  play,
  resultsOf,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

const never = () => new Promise<never>(() => {});

it("stops at once when the model ignores the signal, and keeps what it had said", async () => {
  const abort = new AbortController();
  const model = scriptedModel(async function* () {
    yield { type: "delta", text: "I was just abo" };
    await never();
  });
  const { outcome, journal } = await play(turnInput(), turnDeps(model, { signal: abort.signal }), (event) => {
    if (event.type === "text.delta") setImmediate(() => abort.abort());
  });
  assert.equal(outcome.status === "aborted" && outcome.partial, "I was just abo");
  assert.deepEqual(kindsOf(journal), ["user", "assistant", "note"]);
  assert.equal(journal[1]?.kind === "assistant" && journal[1].stop, "interrupted");
});

it("stops at once when tools ignore the signal, with one result for every call", async () => {
  const abort = new AbortController();
  let started = 0;
  const hang = () => {
    started += 1;
    if (started === 2) setImmediate(() => abort.abort());
    return never();
  };
  const tools = [tool("quick", "read", () => "quick"), tool("read", "read", hang), tool("write", "write", hang)];
  const model = scriptedModel(calls("read", "quick", "read", "write"), says("never asked"));
  const { outcome, journal } = await play(turnInput({ tools }), turnDeps(model, { signal: abort.signal }));
  assert.equal(outcome.status, "aborted");
  assert.deepEqual(resultsOf(journal), ["Cancelled.", "quick", "Cancelled.", "Cancelled."]);
  assert.equal(model.requests.length, 1);
});

it("says of a stopped write that it may have happened", async () => {
  const abort = new AbortController();
  const write = tool("write", "write", () => {
    setImmediate(() => abort.abort());
    return never();
  });
  const deps = turnDeps(scriptedModel(calls("write")), { signal: abort.signal });
  const { journal } = await play(turnInput({ tools: [write] }), deps);
  assert.match(resultsOf(journal)[0] ?? "", /may have taken effect/);
});

it("writes an answer together with the start of its calls, and says of a call that it ended then that it has not run", async () => {
  const abort = new AbortController();
  const write = tool("write", "write", () => assert.fail("it runs"));
  const deps = turnDeps(scriptedModel(calls("write", "write")), { signal: abort.signal });
  const written: string[][] = [];
  const { journal } = await play(turnInput({ tools: [write] }), deps, (event) => {
    if (event.type !== "journal") return;
    written.push(event.entries.map(({ kind }) => kind));
    abort.abort();
  });
  assert.deepEqual(written, [["assistant", "tool.started"]]);
  assert.deepEqual(resultsOf(journal), ["Cancelled.", "Cancelled."]);
});

it("keeps an answer when it is stopped before its calls start", async () => {
  const abort = new AbortController();
  const write = tool("write", "write", () => assert.fail("it runs"));
  const toolCalls = [{ callId: "c1", name: "write", arguments: "{}" }];
  const deps = turnDeps(scriptedModel([done("I write it down.", toolCalls, "tool_calls")]), { signal: abort.signal });
  const { journal } = await play(turnInput({ tools: [write] }), deps, (event) => {
    if (event.type === "status") abort.abort();
  });
  assert.deepEqual(kindsOf(journal), ["user", "assistant", "tool.result write", "note"]);
  assert.deepEqual(resultsOf(journal), ["Cancelled."]);
});

it("asks running tools to stop when the reader leaves", async () => {
  const stopped = Promise.withResolvers<string>();
  const listen = tool("listen", "read", ({ signal, progress }) => {
    signal.addEventListener("abort", () => stopped.resolve("stopped"));
    progress("listening");
    return never();
  });
  const turn = runTurn(turnInput({ tools: [listen] }), turnDeps(scriptedModel(calls("listen"))));
  for await (const event of turn) if (event.type === "status" && event.label === "listening") break;
  assert.equal(await stopped.promise, "stopped");
});

it("does nothing when it was aborted before it began", async () => {
  const model = scriptedModel(says("no"));
  const { outcome } = await play(turnInput(), turnDeps(model, { signal: AbortSignal.abort() }));
  assert.equal(outcome.status, "aborted");
  assert.equal(model.requests.length, 0);
});

it("stops while it waits for another try", async () => {
  const abort = new AbortController();
  setImmediate(() => abort.abort());
  const error = { kind: "rate_limit", message: "", visible: true, retryAfterMs: 4_000 } as const;
  const half = { type: "delta", text: "half" } as const;
  const model = scriptedModel([half, { type: "failed", error }], says("too late"));
  const { outcome, shown } = await play(turnInput(), turnDeps(model, { signal: abort.signal }));
  assert.deepEqual(
    [outcome.status, outcome.status === "aborted" && outcome.partial, shown],
    ["aborted", "half", "half"],
  );
});

it("keeps what it has taken by steering although it was stopped meanwhile", async () => {
  const abort = new AbortController();
  const steering: TurnDeps["steering"] = async (unwritten) => {
    abort.abort();
    return [...unwritten, said("wait")];
  };
  const model = scriptedModel(says("Done."));
  const { outcome, journal } = await play(turnInput(), turnDeps(model, { signal: abort.signal, steering }));
  assert.equal(outcome.status === "aborted" && outcome.partial, "Done.");
  assert.deepEqual(kindsOf(journal), ["user", "assistant", "user", "note"]);
});
