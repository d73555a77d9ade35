import type { AdapterStore } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import type { MatrixClient } from "./client.ts";
import type { SyncIntake } from "./sync-intake.ts";
import { read, type SyncAnswer } from "./wire.ts";

export interface SyncLoopDeps {
  readonly client: MatrixClient;
  readonly store: AdapterStore;
  readonly intake: SyncIntake;
}

/** The name under which the token is stored up to which everything is recorded. */
const syncKey = "sync";

/** The homeserver answers after this time even when nothing has happened. */
const pollMs = 30_000;

/** An answer that is later than this is not coming: the connection is dead. */
const patienceMs = 30_000;

/** The first answer is long where the account is in many rooms. */
const firstAnswerMs = 5 * 60_000;

const filter = {
  presence: { types: [] },
  account_data: { types: [] },
  room: {
    account_data: { types: [] },
    ephemeral: { types: [] },
    timeline: { limit: 50, lazy_load_members: true },
    state: { lazy_load_members: true },
  },
};

/** Before we know a token only our keys and invitations count. */
const firstFilter = {
  ...filter,
  room: { ...filter.room, timeline: { limit: 1 }, state: { types: [EventType.RoomEncryption] } },
};

/**
 * Asks for news until `signal` is aborted. The token moves only when everything before it is recorded. Ends by throwing
 * when the homeserver cannot be reached.
 */
export async function runSyncLoop(deps: SyncLoopDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  const { store, intake } = deps;
  let since = await store.read(syncKey);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const answer = await ask(deps.client, since, isFirst, signal);
    if (since !== undefined) connected();
    await intake.take(answer, since, signal);
    if (answer.next_batch !== since) await store.write(syncKey, answer.next_batch);
    since = answer.next_batch;
    connected();
  }
}

async function ask(
  client: MatrixClient,
  since: string | undefined,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<SyncAnswer> {
  const waitMs = isFirst || since === undefined ? 0 : pollMs;
  const query = {
    timeout: String(waitMs),
    filter: JSON.stringify(since === undefined ? firstFilter : filter),
    ...(since !== undefined && { since }),
  };
  const timeoutMs = isFirst ? firstAnswerMs : waitMs + patienceMs;
  const answer = read.sync(await client.call({ method: "GET", path: "/client/v3/sync", query, timeoutMs }, signal));
  if (answer === undefined)
    throw new GatewayError("the homeserver's answer to a sync could not be read", { code: "unavailable" });
  return answer;
}
