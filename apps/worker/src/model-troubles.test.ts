import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelFailureKind, ModelPort } from "@talaria/agent";
import { modelTroublesOf } from "@talaria/store";
import { english } from "@talaria/words";
import { ModelTroubles, type ModelTroublesDeps } from "./model-troubles.ts";

type End = ModelFailureKind | "done";

const counted: (readonly [string, string])[] = [];

/** What a worker reports after its model's requests ended so, a second apart. */
async function reportAfter(
  ends: readonly End[],
  startMs = 0,
  keyFiles: ModelTroublesDeps["keyFiles"] = {},
): Promise<ModelTroubles> {
  const clock = { now: () => startMs } as never;
  const troubles = new ModelTroubles({ clock, failed: (model, code) => counted.push([model, code]), keyFiles });
  for (const end of ends) {
    startMs += 1_000;
    const model = {
      async *stream() {
        if (end === "done") yield { type: "done" };
        else yield { type: "failed", error: { kind: end, message: "key sk-secret refused", visible: false } };
      },
    } as unknown as ModelPort;
    for await (const _ of troubles.watch("main", model).stream({} as never, AbortSignal.timeout(10_000)));
  }
  return troubles;
}

const linesOf = (...workers: readonly ModelTroubles[]) =>
  modelTroublesOf(
    workers.map((worker) => ({ stats: { models: worker.list() } })),
    english.problemPhrases,
  ).map(({ line }) => line);

it("says of a refused key since when, how often, and the remedy; nothing of what the provider said", async () => {
  assert.deepEqual(linesOf(await reportAfter(["done", "auth", "overloaded", "auth"])), [
    "model main: its provider refuses the key or login, since 1970-01-01T00:00:02Z (2 requests failed): put a working one where models.main takes it from, or run `talaria setup model` or `talaria model login`",
  ]);
});

it("names the command that mends a key of a secret file, or the file", async () => {
  const path = "/srv/talaria/secrets/model-main-apiKey";
  const key = { path, secret: "model-main-apiKey" };
  assert.match(
    linesOf(await reportAfter(["auth"], 0, { main: [key] })).join(),
    /: put a working one there with `talaria secret set model-main-apiKey`; it is in use within seconds$/,
  );
  assert.match(
    linesOf(await reportAfter(["auth"], 0, { main: [{ path: "/run/secrets/key" }] })).join(),
    /: put a working one into \/run\/secrets\/key; it is in use within seconds$/,
  );
});

const table: readonly (readonly [ModelFailureKind, RegExp])[] = [
  ["auth", /refuses the key or login, since .*: put a working one/],
  ["quota", /its credit or quota is used up, since .*: add credit/],
  ["not_found", /does not know it, since .*: correct models\.main\.model/],
  ["rate_limit", /asked more often than it allows, since .*: raise the limit at the provider, or name another model/],
  ["overloaded", /its server is overloaded, since .*models\.main\.fallbacks$/],
  ["server_error", /its server reports an error, since .*: see the provider's status page/],
  ["network", /it can't be reached, since .*: check the network and models\.main\.baseUrl/],
  ["stalled", /its server stops answering, since /],
  ["truncated", /its connection breaks in the middle of answers, since /],
  ["bad_request", /rejects what it is asked, since .*: find the reason in the log/],
];

for (const [kind, words] of table)
  it(`says of ${kind} what to do`, async () => {
    const lines = linesOf(await reportAfter([kind]));
    assert.equal(lines.length, 1);
    assert.match(lines.join(), words);
  });

it("counts every failed request by model and code, and none that was stopped", async () => {
  counted.length = 0;
  await reportAfter(["auth", "refusal", "aborted", "done", "network"]);
  assert.deepEqual(counted, [
    ["main", "auth"],
    ["main", "refusal"],
    ["main", "network"],
  ]);
});

it("has nothing to say of what lies in the request, or of a model that answers again, whichever worker saw it", async () => {
  assert.deepEqual(linesOf(await reportAfter(["refusal", "context_full", "thought_only", "runaway", "aborted"])), []);
  assert.deepEqual(linesOf(await reportAfter(["auth", "done"])), []);
  assert.deepEqual(linesOf(await reportAfter(["overloaded", "network", "done"])), []);
  const [early, late] = [await reportAfter(["quota"]), await reportAfter(["done"], 60_000)];
  assert.deepEqual(linesOf(late, early), []);
  assert.deepEqual(linesOf(early, late), []);
});

it("goes on counting from the first of several troubles that may pass, and names the last", async () => {
  assert.match(
    linesOf(await reportAfter(["network", "overloaded", "server_error"])).join(),
    /reports an error, since 1970-01-01T00:00:01Z \(3 requests failed\)/,
  );
});

it("names the newest cause: two failures in a row that may pass take the place of one that lasts, and one does not", async () => {
  assert.match(linesOf(await reportAfter(["not_found", "rate_limit"])).join(), /does not know it/);
  const later = linesOf(await reportAfter(["not_found", "rate_limit", "server_error", "server_error"])).join();
  assert.match(later, /its server reports an error, since 1970-01-01T00:00:03Z \(3 requests failed\)/);
  assert.match(linesOf(await reportAfter(["server_error", "server_error", "auth"])).join(), /refuses the key or login/);
});

it("takes a rejected request of a model that answers others for no trouble, and five in a row for one", async () => {
  const rejected = (count: number) => Array.from({ length: count }, () => "bad_request" as const);
  assert.deepEqual(linesOf(await reportAfter(["done", ...rejected(4)])), []);
  assert.deepEqual(linesOf(await reportAfter(["done", ...rejected(4), "done", ...rejected(4)])), []);
  assert.match(linesOf(await reportAfter(["done", ...rejected(5)])).join(), /rejects what it is asked/);
  assert.match(linesOf(await reportAfter(["done", "network", ...rejected(1)])).join(), /rejects what it is asked/);
  assert.match(linesOf(await reportAfter(rejected(1))).join(), /rejects what it is asked/);
});
