import { setTimeout as sleep } from "node:timers/promises";
import { startModelServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";
import type { Figure } from "./main.ts";
import { figuresOf, type ProcessFigures } from "./process-tree.ts";

const idleMs = 30_000;

/** One account on every platform at once, with webhooks beside them: how soon they are connected, and what they need while idle. */
export async function allPlatforms(): Promise<readonly Figure[]> {
  await using model = await startModelServer();
  const running = await Promise.all(stages.map(([, start]) => start()));
  const port = await freePort();
  try {
    const accounts = Object.fromEntries(running.map(({ platform, account }) => [`${platform}-main`, account]));
    const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "bench", model: "bench" } };
    const webhooks = { ci: { scheme: "token", secret: "bench-secret-bench-secret", prompt: "x", wait: true } };
    for (const stage of running) await stage.reachedAt(`http://127.0.0.1:${port}`);
    const config = [
      `models: ${JSON.stringify(models)}`,
      `accounts: ${JSON.stringify(accounts)}`,
      `webhooks: ${JSON.stringify(webhooks)}`,
    ].join("\n");
    await using talaria = await Installation.start({ config, port, env: { LOG_LEVEL: "error" } });
    await connected(talaria, running.length);
    await talaria.stop();
    const began = performance.now();
    await talaria.begin();
    const readyMs = performance.now() - began;
    await connected(talaria, running.length);
    const connectedMs = performance.now() - began;
    await sleep(idleMs);
    const figures = await figuresOf(talaria.pid, talaria.home);
    const gateway = figures.filter(({ name }) => name === "gateway");
    const accountsText = `${running.length} platforms and a webhook route`;
    return [
      { measure: `cold start with ${accountsText}: ready`, reach: "5 s", value: `${seconds(readyMs)} s` },
      { measure: "the same: every account connected", reach: "5 s", value: `${seconds(connectedMs)} s` },
      {
        measure: `idle memory of the tree with ${accountsText} (PSS)`,
        reach: "400 MB",
        value: `${mebibytes(figures)} MB`,
      },
      { measure: "the same: gateway", reach: "250 MB", value: `${mebibytes(gateway)} MB` },
    ];
  } finally {
    for (const stage of running) await stage[Symbol.asyncDispose]();
  }
}

async function connected(talaria: Installation, count: number): Promise<void> {
  const isConnected = async () => {
    const { accounts } = JSON.parse(await talaria.talaria("status", "--json")) as {
      accounts: readonly { platform: string; connection: { status: string } }[];
    };
    const platforms = new Set(stages.map(([name]) => name as string));
    return (
      accounts.filter((each) => platforms.has(each.platform) && each.connection.status === "connected").length >= count
    );
  };
  await waitFor(isConnected, `${count} connected accounts`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function mebibytes(processes: readonly ProcessFigures[]): string {
  return (processes.reduce((sum, { pssKiB }) => sum + pssKiB, 0) / 1_024).toFixed(0);
}
