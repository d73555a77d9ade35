import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PrivateChat, TelegramServer } from "@talaria/adapter-telegram/emulator";
import { callTool, type ModelServer, say } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";
import type { Hop } from "./hops-recorder.ts";
import type { Figure } from "./main.ts";
import { figuresOf, pssMiB } from "./process-tree.ts";
import { recordHops } from "./recorded-hops.ts";
import { describeMs } from "./statistics.ts";
import { type BenchWorld, startWorld } from "./world.ts";

const { resolve } = createRequire(new URL("../../packages/mcp/package.json", import.meta.url));

const ownerId = 4242;
const warmUp = 3;
const turns = 40;
const approvals = 20;
/** Telegram bears about one message a second in a chat. */
const spacingMs = 1_100;
/** Memory is given back when a process has been idle for half a minute. */
const settleMs = 60_000;

/** A turn with some forty tools, an approval, and what unused tools cost a worker. */
export async function agent(): Promise<readonly Figure[]> {
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [resolve("@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp"],
    { env: { PORT: String(port) }, stdio: "ignore" },
  );
  const exited = once(server, "exit");
  const folder = await mkdtemp(join(tmpdir(), "talaria-bench-agent-"));
  try {
    await waitFor(() => fetch(`http://127.0.0.1:${port}/`).catch(() => undefined), "the MCP server");
    // Commands of root run as somebody else, who has to pass it.
    await chmod(folder, 0o711);
    const sections = everything(`http://127.0.0.1:${port}/mcp`, folder);
    return [...(await withTools(sections)), await idleWorker(sections)];
  } finally {
    await rm(folder, { recursive: true, force: true });
    if (server.kill("SIGKILL")) await exited;
  }
}

type Sections = (telegram: TelegramServer) => string;

const everything = (mcpUrl: string, folder: string) => (telegram: TelegramServer) =>
  `
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: ownerId }).id}"]
agent: { toolTokens: 1000000 }
sandbox: { backend: sandbox, folder: ${folder} }
web: { search: { provider: searxng, baseUrl: "https://search.example.org" } }
policy: { rules: [{ ask: to measure it, tool: current_time }] }
mcp: { servers: { one: { url: "${mcpUrl}" }, two: { url: "${mcpUrl}" } } }
`;

async function withTools(sections: Sections): Promise<readonly Figure[]> {
  await using recorded = await recordHops();
  await using world = await startWorld({ sections, env: recorded.env });
  const { telegram, model } = world;
  const chat = telegram.privateChat(telegram.user({ first_name: "Ada", id: ownerId }));
  const tools = await toolsInUse(chat, model);
  const toModel: number[] = [];
  const toPlatform: number[] = [];
  let modelAt = 0;
  let sentAt = 0;
  const since = performance.timeOrigin + performance.now();
  model.respondWith((request) => {
    modelAt = performance.now();
    return say(`answer to ${request.lastUserText}`, { pieces: 1 });
  });
  telegram.onCall("sendMessage", () => {
    sentAt = performance.now();
  });
  for (let n = 0; n < warmUp + turns; n += 1) {
    const began = performance.now();
    chat.say(chat.person, `message ${n}.`);
    await chat.waitForBotMessage(`answer to message ${n}.`);
    if (n >= warmUp) {
      toModel.push(modelAt - began);
      toPlatform.push(sentAt - modelAt);
    }
    await sleep(spacingMs);
  }
  const until = performance.timeOrigin + performance.now();
  const overhead = toModel.map((ms, n) => ms + (toPlatform[n] ?? 0));
  const tap = await tapped(world, chat);
  await world.talaria.stop();
  const hops = (await recorded.read()).filter(({ at }) => at > since && at < until);
  return [
    { measure: `update received -> model called, with ${tools} tools`, reach: "", value: describeMs(toModel) },
    { measure: "model finished -> platform called", reach: "", value: describeMs(toPlatform) },
    { measure: "both: what Talaria adds to the model, in one message", reach: "", value: describeMs(overhead) },
    {
      measure: "the turn's part of it: from its begin to its end in the journal, without the model",
      reach: "p50 10 ms",
      value: describeMs(turnsOwn(hops).slice(warmUp)),
    },
    tap,
  ];
}

/** For each turn of one call, in milliseconds. */
function turnsOwn(hops: readonly Hop[]): readonly number[] {
  const own: number[] = [];
  let begun = 0;
  let modelMs = 0;
  let askedAt = 0;
  for (const { at, what } of hops) {
    if (what === "worker: begin_turn") begun = at;
    else if (/^worker: POST .*completions$/.test(what)) askedAt = at;
    else if (/^worker: POST .*completions answered$/.test(what)) modelMs = at - askedAt;
    else if (what === "worker: commit_turn done") own.push(at - begun - modelMs);
  }
  return own;
}

/** Servers connect in the background, and the sandbox is tried when somebody who may use it first writes. */
async function toolsInUse(chat: PrivateChat, model: ModelServer): Promise<number> {
  let tools = 0;
  model.respondWith((request) => {
    tools = request.tools.length;
    return say("ready", { pieces: 1 });
  });
  await waitFor(async () => {
    chat.say(chat.person, "are you ready?");
    await sleep(spacingMs);
    return tools >= 35;
  }, "the tools of both servers");
  return tools;
}

/** From the press of the button until the model reads the result: the call has begun, run and been journaled in between. */
async function tapped({ model }: BenchWorld, chat: PrivateChat): Promise<Figure> {
  const sample: number[] = [];
  let readAt = 0;
  model.respondWith((request) => {
    if (request.toolResults.length === 0) return callTool("current_time", {});
    readAt = performance.now();
    return say(`done ${request.toolResults.length}`, { pieces: 1 });
  });
  chat.say(chat.person, "/new");
  for (let n = 0; n < warmUp + approvals; n += 1) {
    const known = new Set(chat.botMessages().map(({ id }) => id));
    chat.say(chat.person, "what time is it?");
    const question = await chat.waitForBotMessage(({ id, text }) => !known.has(id) && text.includes("May I "));
    await sleep(spacingMs);
    const began = performance.now();
    chat.press(chat.person, question.id, "Approve");
    await chat.waitForBotMessage(({ id, text }) => !known.has(id) && text.startsWith("done"));
    if (n >= warmUp) sample.push(readAt - began);
    chat.say(chat.person, "/new");
    await sleep(spacingMs);
  }
  return {
    measure: "approval tapped -> its result read by the model",
    reach: "p50 30 ms to its start",
    value: describeMs(sample),
  };
}

async function idleWorker(sections: Sections): Promise<Figure> {
  const [bare, configured] = [
    await workerMiB(() => "sandbox: { backend: off }\nweb: { enabled: false }"),
    await workerMiB(sections),
  ];
  return {
    measure: "memory of an idle worker with everything configured and unused, against one without (PSS)",
    reach: "15 MB more",
    value: `${configured.toFixed(0)} against ${bare.toFixed(0)} MB`,
  };
}

async function workerMiB(sections: Sections): Promise<number> {
  await using world = await startWorld({ sections });
  await sleep(settleMs);
  const figures = await figuresOf(world.talaria.pid, world.talaria.home);
  return pssMiB(figures.filter(({ name }) => name === "worker"));
}
