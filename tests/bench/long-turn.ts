import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { callTool, type ModelRequest, type ModelScript, say } from "@talaria/testkit";
import { getEncoding } from "js-tiktoken";
import type { Installation } from "../support/installation.ts";
import type { Hop } from "./hops-recorder.ts";
import type { Figure } from "./main.ts";
import { figuresOf } from "./process-tree.ts";
import { recordHops } from "./recorded-hops.ts";
import { describeMs } from "./statistics.ts";
import { type BenchWorld, startWorld } from "./world.ts";

const steps = 100;
const windows = { narrow: 32_000, wide: 1_000_000 };
/** `LONG_TURNS=200` shows whether a worker's memory grows; it takes half an hour. */
const turns = Number(process.env.LONG_TURNS ?? 10);
const every = Math.max(1, Math.round(turns / 5));
/** Memory is given back when a process has been idle for half a minute. */
const settleMs = 45_000;
const patienceMs = 600_000;
const encoding = getEncoding("o200k_base");

/** A job of a hundred steps over files and commands: what it asks of the model, what we add to it, what it leaves in memory. */
export async function longTurn(): Promise<readonly Figure[]> {
  const wide = await inWorld(windows.wide, async (world, sent) => {
    await finish(world, "first");
    const [firstTurn, requests] = [sent.last, sent.figures()];
    world.model.respondWith((request) => sent.note(request, say("It is.")));
    await ask(world.talaria, "first", "Is it all done?", /It is\./);
    return { requests, shared: sharedShare(firstTurn, sent.last) };
  });
  const narrow = await inWorld(windows.narrow, async (world, sent) => {
    await finish(world, "first");
    return { requests: sent.figures() };
  });
  return [
    { measure: `a job of ${steps} steps, nothing compressed`, reach: "", value: wide.requests },
    { measure: `the same in a window of ${windows.narrow} tokens`, reach: "", value: narrow.requests },
    { measure: "the next turn's request begins as the last one did", reach: "95 %", value: wide.shared },
    ...(await ownPart()),
    await memory(),
  ];
}

/** What we do between an answer's end and the next request, in steps whose tool does next to nothing. */
async function ownPart(): Promise<readonly Figure[]> {
  await using recorded = await recordHops();
  const isQuick: boolean[] = [];
  await inWorld(
    windows.wide,
    async (world) => {
      for (let step = 0; step < steps; step += 1) isQuick.push(step % kinds.length === 0);
      await finish(world, "own");
      await world.talaria.stop();
    },
    recorded.env,
  );
  const own = betweenCalls(await recorded.read());
  const quick = own.filter((_ms, step) => isQuick[step]);
  return [
    {
      measure: "our own part of a step: from an answer's end to the next request",
      reach: "p50 9 ms",
      value: describeMs(quick),
    },
  ];
}

function betweenCalls(hops: readonly Hop[]): readonly number[] {
  const between: number[] = [];
  let answeredAt: number | undefined;
  for (const { at, what } of hops) {
    if (/^worker: POST .*completions answered$/.test(what)) answeredAt = at;
    else if (/^worker: POST .*completions$/.test(what) && answeredAt !== undefined) between.push(at - answeredAt);
  }
  return between;
}

async function memory(): Promise<Figure> {
  const sizes = await inWorld(windows.narrow, async (world) => {
    const sizes: number[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      await finish(world, `job-${turn}`);
      if (turn % every !== 0) continue;
      await sleep(settleMs);
      sizes.push(await workerMiB(world.talaria));
    }
    return sizes;
  });
  const listed = sizes.map((size) => size.toFixed(0)).join(", ");
  const measure = `memory of a worker (PSS) that rests after every ${every} of ${turns} such jobs`;
  return { measure, reach: "no slope", value: `${listed} MiB; ${slope(sizes.slice(1)).toFixed(2)} MiB a job` };
}

async function workerMiB(talaria: Installation): Promise<number> {
  const worker = (await figuresOf(talaria.pid, talaria.home)).find(({ name }) => name === "worker");
  return (worker?.pssKiB ?? 0) / 1024;
}

/** Least squares, in MiB a job. */
function slope(sizes: readonly number[]): number {
  const middle = (sizes.length - 1) / 2;
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const rise = sizes.reduce((sum, size, n) => sum + (n - middle) * (size - mean), 0);
  const run = sizes.reduce((sum, _size, n) => sum + (n - middle) ** 2, 0);
  return rise / run / every;
}

const kinds: readonly ((step: number) => ModelScript)[] = [
  () => callTool("current_time", {}),
  (step) => callTool("write_file", { path: `part-${step}.csv`, content: table(step) }),
  (step) => callTool("read_file", { path: `part-${step - 1}.csv` }),
  (step) => callTool("terminal", { command: `sort -t, -k2 -n part-${step - 2}.csv | tail -20` }),
];

function table(step: number): string {
  return Array.from({ length: 40 }, (_, row) => `${step}-${row},${(row * 7_919 + step * 104_729) % 10_007},open`).join(
    "\n",
  );
}

/** One job from its order to its answer. */
async function finish({ talaria, model }: BenchWorld, conversation: string): Promise<void> {
  let step = 0;
  const before = sentIn.get(model);
  model.respondWith((request) => {
    const script =
      step < steps ? (kinds[step % kinds.length]?.(step) ?? say("?")) : say("All parts are sorted.", { pieces: 1 });
    step += 1;
    return before === undefined ? script : before.note(request, script);
  });
  await ask(talaria, conversation, "Write and sort all the parts.", /All parts are sorted\./);
}

async function ask(talaria: Installation, conversation: string, text: string, answer: RegExp): Promise<void> {
  await talaria.say(conversation, text);
  await talaria.waitForLine(conversation, answer, patienceMs);
}

/** What went to the model, in the order in which a provider's cache reads it. */
class Sent {
  last = "";
  #requests = 0;
  #bytes = 0;
  #tokens = 0;
  #cached = 0;
  #lastTokens = 0;

  note(request: ModelRequest, script: ModelScript): ModelScript {
    const text = JSON.stringify([request.tools, request.messages]);
    const common = commonLength(this.last, text);
    const cached = this.last === "" ? 0 : (this.#lastTokens * common) / this.last.length;
    const tokens = cached + encoding.encode(text.slice(common)).length;
    this.#requests += 1;
    this.#bytes += text.length;
    this.#tokens += tokens;
    this.#cached += cached;
    [this.last, this.#lastTokens] = [text, tokens];
    return script;
  }

  figures(): string {
    const [all, fresh] = [this.#tokens, this.#tokens - this.#cached].map((count) =>
      Math.round(count).toLocaleString("en"),
    );
    return `${this.#requests} requests, ${(this.#bytes / 2 ** 20).toFixed(1)} MiB, ${all} tokens, of which ${fresh} are not the beginning of the request before`;
  }
}

const sentIn = new WeakMap<BenchWorld["model"], Sent>();

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length))
    length += 1;
  return length;
}

function sharedShare(one: string, other: string): string {
  return `${((100 * commonLength(one, other)) / one.length).toFixed(1)} %`;
}

async function inWorld<Result>(
  contextTokens: number,
  run: (world: BenchWorld, sent: Sent) => Promise<Result>,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-bench-job-"));
  // Commands of root run as somebody else, who has to pass it.
  await chmod(folder, 0o711);
  try {
    const sections = () => `sandbox: { backend: sandbox, folder: ${folder} }\n`;
    await using world = await startWorld({ sections, env, contextTokens });
    const sent = new Sent();
    sentIn.set(world.model, sent);
    return await run(world, sent);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
