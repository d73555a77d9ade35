import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ModelScript, modelFault, say } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

/** One message each: its model failed so until its tries were used up. */
const faults: readonly (readonly [what: string, fault: ModelScript, code: string, told: RegExp, problem: RegExp])[] = [
  [
    "401",
    modelFault.unauthorized(),
    "auth",
    /my access to the language model was refused/,
    /refuses the key or login.*talaria setup model/,
  ],
  [
    "402",
    status(402),
    "quota",
    /credit for my language model is used up/,
    /credit or quota is used up.*add credit at the provider/,
  ],
  ["404", status(404), "not_found", /doesn't exist/, /does not know it.*correct models\.main\.model/],
  ["429", modelFault.rateLimited(0), "rate_limit", /too many requests/, /asked more often than it allows/],
  [
    "500",
    status(500),
    "server_error",
    /failed \(its server reports an error\)/,
    /its server reports an error.*status page/,
  ],
  ["529", modelFault.serverError(529), "overloaded", /overloaded right now/, /its server is overloaded/],
  [
    "a reset connection",
    modelFault.cutAfter("", "reset"),
    "network",
    /can't reach/,
    /can't be reached.*models\.main\.baseUrl/,
  ],
];

function status(code: number): ModelScript {
  return [{ kind: "status", status: code, body: { error: { message: "The model is overloaded, quota exceeded?" } } }];
}

describe("nobody gets an answer", () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      config: (telegram) => `leases: { sessionMs: 2000, accountMs: 2000 }
accounts:
  refused: { platform: telegram, token: "700000099:wrong", apiRoot: "${telegram.apiRoot}" }`,
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const problems = async (): Promise<readonly { key: string; code: string; line: string; stopsAnswers: boolean }[]> =>
    JSON.parse(await world.talaria.talaria("status", "--json")).problems;

  for (const [what, fault, code, told, problem] of faults)
    it(`since the model answers with ${what}: people and the operator are told which`, async () => {
      const words = `please ${code}`;
      world.plan.answer(words, fault, fault, fault, fault);
      await world.talaria.say(code, words);
      assert.match((await world.talaria.waitForLine(code, told)).markdown, told);
      const found = await waitFor(async () => {
        const [one] = (await problems()).filter(({ key }) => key === "model:main");
        return one?.code === code ? one : undefined;
      }, `a problem with ${code}`);
      assert.match(found.line, problem);
      assert.match(await world.talaria.talaria("why", code), /: failed after .*; they were told at 2/);
      world.plan.answer("better", say("I can again."));
      await world.talaria.say(code, "better?");
      await world.talaria.waitForLine(code, /I can again/);
      await waitFor(async () => !(await problems()).some(({ key }) => key === "model:main"), "the problem to be over");
    });

  it("since the platform refuses the account: the operator is told how to mend it", async () => {
    const found = await waitFor(
      async () => (await problems()).find(({ key }) => key === "account:refused"),
      "the problem of the account",
    );
    assert.deepEqual([found.code, found.stopsAnswers], ["unauthorized", true]);
    assert.match(found.line, /is refused, unauthorized: .*`talaria setup telegram --account refused`/);
  });
});
