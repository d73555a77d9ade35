import { mkdir } from "node:fs/promises";
import type { WorkerOptions } from "@talaria/app-worker";
import type { Home } from "../home.ts";
import { holdFolder } from "../start/home-lock.ts";

/** Listens where gateways of this data folder look for a worker, unless another worker does. Nobody else may open the folder. */
export function takeDoor({ doorDir }: Pick<Home, "doorDir">): NonNullable<WorkerOptions["takeDoor"]> {
  return async (serve) => {
    await mkdir(doorDir, { recursive: true, mode: 0o700 });
    return await holdFolder(doorDir, serve);
  };
}
