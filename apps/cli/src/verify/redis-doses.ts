import { setTimeout as sleep } from "node:timers/promises";
import { askRedis } from "@talaria/queue";
import { z } from "zod";
import type { DoseDeps } from "./dose-deps.ts";
import { whileAway } from "./while-away.ts";

/** It takes commands and answers none. The server ends that by itself. */
export async function pauseRedis({ redisUrl = "", awayMs, say, signal }: DoseDeps): Promise<void> {
  await askRedis(redisUrl, "CLIENT", "PAUSE", String(awayMs), "ALL");
  say(`paused Redis for ${awayMs / 1_000} s`);
  await sleep(awayMs, undefined, { signal });
}

/** It answers, and takes nothing more. */
export async function fillRedis({ redisUrl = "", awayMs, say, signal }: DoseDeps): Promise<void> {
  const [, before] = z.tuple([z.string(), z.string()]).parse(await askRedis(redisUrl, "CONFIG", "GET", "maxmemory"));
  const limit = async (bytes: string) => void (await askRedis(redisUrl, "CONFIG", "SET", "maxmemory", bytes));
  await whileAway(awayMs, signal, {
    begin: async () => {
      await limit("1");
      say(`let the memory of Redis be full for ${awayMs / 1_000} s`);
    },
    end: () => limit(before),
  });
}
