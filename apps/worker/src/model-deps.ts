import { type ModelDeps, withOwnRests } from "@talaria/models";
import type { Clock, Log } from "@talaria/protocol";
import type { QueueSystem } from "@talaria/queue";
import type { Store } from "@talaria/store";
import { readWhole } from "./media-reader.ts";
import type { ModelTroubles } from "./model-troubles.ts";

export interface ModelPeers {
  readonly store: Pick<Store, "media" | "modelLogins">;
  readonly queue: Pick<QueueSystem, "rests">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/** What every model of a worker is made with. */
export function modelDepsOf({ store, queue, clock, random, log }: ModelPeers, troubles: ModelTroubles) {
  const readMedia: ModelDeps["readMedia"] = (ref, signal) => readWhole(store.media, ref, signal);
  const rests = queue.rests && withOwnRests(queue.rests, clock);
  return { clock, random, log, readMedia, rests, logins: store.modelLogins, troubles };
}
