import { type ModelDeps, withOwnRests } from "@talaria/models";
import { readWhole } from "./media-reader.ts";
import type { ModelTroubles } from "./model-troubles.ts";
import type { WorkerOptions } from "./worker.ts";

/** What every model of a worker is made with. */
export function modelDepsOf({ store, queue, clock, random, log }: WorkerOptions, troubles: ModelTroubles) {
  const readMedia: ModelDeps["readMedia"] = (ref, signal) => readWhole(store.media, ref, signal);
  const rests = queue.rests && withOwnRests(queue.rests, clock);
  return { clock, random, log, readMedia, rests, logins: store.modelLogins, troubles };
}
