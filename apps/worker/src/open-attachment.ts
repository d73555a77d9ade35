import type { MediaAccess } from "@talaria/agent";
import { type AccountId, type Clock, GatewayError } from "@talaria/protocol";
import type { AttachmentKey, Fetched, MediaStore, StoredMedia } from "@talaria/store";

/** Pauses between two looks whether a file has come. */
const pauseMs = { first: 50, longest: 1_000 };
/** Shorter than a tool's time, so that the model reads why. */
const longestWaitMs = 50_000;

export interface OpenerDeps {
  /** Tells the gateway that holds the account. Lossy: its sweep finds what was lost. */
  readonly fetch: (accountId: AccountId) => void;
  readonly clock: Clock;
}

/** Has the gateway that holds the account fetch a file, within the limits of every file, and waits for it. */
export function createOpener(
  media: Pick<MediaStore, "request" | "ofEvents">,
  { fetch, clock }: OpenerDeps,
): NonNullable<MediaAccess["open"]> {
  return async ({ ref, kind, mimeType, byteLength, name, unopened }, signal): Promise<StoredMedia> => {
    const { accountId } = unopened;
    const said = { ...(name === undefined ? {} : { name }), ...(byteLength === 0 ? {} : { byteLength }) };
    await media.request(unopened, { kind, mimeType, ref, ...said });
    const until = clock.elapsed() + longestWaitMs;
    for (let pause = pauseMs.first; clock.elapsed() < until; pause = Math.min(pauseMs.longest, pause * 2)) {
      signal.throwIfAborted();
      const fetched = await stateOf(unopened, media);
      if (fetched?.state === "stored") return fetched.media;
      if (fetched?.state === "failed")
        throw new GatewayError(`this file can't be had: ${fetched.problem}`, { code: "not_found" });
      if (pause === pauseMs.first) fetch(accountId);
      await clock.sleep(pause, signal);
    }
    throw new GatewayError("this file has not arrived in time; try again later", { code: "unavailable" });
  };
}

async function stateOf(key: AttachmentKey, media: Pick<MediaStore, "ofEvents">): Promise<Fetched | undefined> {
  const files = await media.ofEvents(key.accountId, [key.eventId]);
  return files.find(({ n }) => n === key.n)?.fetched;
}
