import assert from "node:assert/strict";
import { it } from "node:test";
import { workplaceNews } from "./workplace-news.ts";

it("the start says what workers find once, and again when it is something else", () => {
  const said: string[] = [];
  const reports = workplaceNews((line) => said.push(line));
  const fails = { works: false, line: "no commands and files: it is broken; run: mend it; browser off" };
  const works = { works: true, line: "commands and files work (x); browser off" };
  for (const stats of [{}, { workplace: fails }, { workplace: fails }, { workplace: works }, { workplace: 1 }, {}])
    reports(stats);
  assert.deepEqual(said, [`${fails.line} (talaria setup sandbox offers to run it)`, works.line]);
});
