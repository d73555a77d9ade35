import assert from "node:assert/strict";
import { it } from "node:test";
import { english } from "@talaria/words";
import { configProblems, soundConfigKeys } from "./config-problem.ts";

const place = "box:/srv/talaria";

it("a configuration that is not in use is a problem of its installation with the first fault, and over without any", () => {
  const [one, ...others] = configProblems(
    { place, faults: ["config.yaml:3:1 agent.nmae: unknown `key`\u0007"] },
    english.problemPhrases,
  );
  assert.deepEqual(others, []);
  assert.deepEqual([one?.key, one?.stopsAnswers], [`configuration:${place}`, false]);
  assert.match(one?.line ?? "", /, because of `config\.yaml:3:1 agent\.nmae: unknown key`: mend the file;/);
  const [several] = configProblems({ place, faults: ["x".repeat(1_000), "y", "z"] }, english.problemPhrases);
  assert.match(several?.line ?? "", /because of `x{300}` and 2 more: mend/);
  assert.deepEqual(soundConfigKeys({ place, faults: ["x"] }), []);
  assert.deepEqual(configProblems({ place, faults: [] }, english.problemPhrases), []);
  assert.deepEqual(soundConfigKeys({ place, faults: [] }), [`configuration:${place}`]);
});
