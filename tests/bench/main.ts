import { cpus, release, totalmem } from "node:os";
import { agent } from "./agent.ts";
import { allPlatforms } from "./all-platforms.ts";
import { burst } from "./burst.ts";
import { chaos } from "./chaos.ts";
import { closedLoopEmbedded, closedLoopRedis } from "./closed-loop.ts";
import { consolePage } from "./console.ts";
import { conversion } from "./conversion.ts";
import { cost } from "./cost.ts";
import { footprint } from "./footprint.ts";
import { hops } from "./hops.ts";
import { hostile } from "./hostile.ts";
import { idle } from "./idle.ts";
import { latency } from "./latency.ts";
import { longTurn } from "./long-turn.ts";
import { past } from "./past.ts";
import { peak } from "./peak.ts";
import { recording } from "./recording.ts";
import { sandbox } from "./sandbox.ts";
import { scale } from "./scale.ts";
import { splitting } from "./splitting.ts";
import { startup } from "./startup.ts";
import { sustainedEmbedded, sustainedRedis } from "./sustained.ts";

/** One row of the report: what was measured, what is to be reached, what came out. */
export interface Figure {
  readonly measure: string;
  readonly reach: string;
  readonly value: string;
}

const suites: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  startup,
  footprint,
  idle,
  allPlatforms,
  conversion,
  latency,
  hops,
  cost,
  burst,
  peak,
  recording,
  scale,
  closedLoopEmbedded,
  closedLoopRedis,
  sustainedEmbedded,
  sustainedRedis,
  chaos,
  splitting,
  hostile,
  sandbox,
  agent,
  longTurn,
  past,
  console: consolePage,
};

const wanted = process.argv.slice(2).filter((name) => !name.startsWith("-"));
const unknown = wanted.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`no benchmark is called ${unknown.join(", ")}; there are ${Object.keys(suites).join(", ")}`);
  process.exit(1);
}

const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
console.log(`Node.js ${process.versions.node}, Linux ${release()}, ${machine}\n`);
console.log("| measure | reach | measured |\n| --- | --- | --- |");
for (const [name, run] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const { measure, reach, value } of await run()) console.log(`| ${measure} | ${reach} | ${value} |`);
}
