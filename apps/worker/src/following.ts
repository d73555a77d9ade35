import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "@talaria/agent";
import { type Clock, GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import type { SessionLease, WorkspaceCopyStore } from "@talaria/store";

/** Files above it stay where they are. */
const maxBytes = 16 * 1024 * 1024;
/** A worker of another place that has just begun is known after this time. */
const placesMs = 30_000;

export interface FollowingDeps {
  readonly copies: WorkspaceCopyStore;
  /** Where this worker's workspaces lie, see `placeOf`. */
  readonly place: string;
  readonly clock: Pick<Clock, "elapsed">;
  readonly log: Log;
}

/** What is kept of the files that lie here: its digest, '' for nothing; undefined for a session that had none so far. */
export type Kept = { readonly digest: string | undefined };

/** Files of sessions follow them to whichever worker takes them next, where workers have folders of their own. */
export interface Following {
  /**
   * Before the session uses the workspace: brings its files here if they are elsewhere. `apart`: they are elsewhere and were not
   * kept, so what is here is something else. Throws `unavailable`, and `invalid_request` for files that can't be put here.
   */
  bring(lease: SessionLease, workspace: Workspace): Promise<Kept | "apart">;
  /** Before the session may go elsewhere. What goes wrong is logged: the files are as they were kept last, then. */
  keep(lease: SessionLease, workspace: Workspace, before: Kept): Promise<void>;
}

/** The name of the folder: workers that share it share the files. */
export async function placeOf(folder: string): Promise<string> {
  const file = join(folder, ".place");
  await mkdir(folder, { recursive: true });
  await writeFile(file, randomUUID(), { flag: "wx", mode: 0o600 }).catch(() => undefined);
  const place = (await readFile(file, "utf8")).trim();
  if (place !== "") return place;
  throw new GatewayError(`${file} is empty: delete it`, { code: "unavailable" });
}

export function createFollowing({ copies, place, clock, log }: FollowingDeps): Following {
  let hasOthers = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const isNeeded = async () => {
    if (clock.elapsed() - lookedAt < placesMs) return hasOthers;
    hasOthers = (await copies.places()).some((other) => other !== place);
    lookedAt = clock.elapsed();
    return hasOthers;
  };
  const failed = ({ sessionKey }: SessionLease, error: unknown) => {
    log.warn({ sessionKey, error }, "the files of a session could not be kept for other workers");
    return undefined;
  };
  const keepNow = async (lease: SessionLease, workspace: Workspace, { digest: before }: Kept) => {
    const isKept = await isNeeded();
    // Without one, the copy of an earlier turn must not stay: it would come back over newer files.
    const bytes = isKept
      ? await workspace.snapshot(maxBytes).catch((error: unknown) => failed(lease, error))
      : undefined;
    const digest = bytes === undefined ? "" : createHash("sha256").update(bytes).digest("hex");
    if (digest === before) return;
    await copies.keep(lease, { place, digest, ...(bytes === undefined ? {} : { bytes }) });
    if (isKept && bytes === undefined)
      log.warn({ sessionKey: lease.sessionKey, maxBytes }, "the files of a session are too large to follow it");
  };
  return {
    async bring(lease, workspace) {
      const { sessionKey } = lease;
      const found = await copies.find(sessionKey, place);
      if (found === undefined || found.place === place) return { digest: found?.digest };
      if (found.bytes === undefined) {
        log.warn({ sessionKey }, "the files of a session are elsewhere, and were not kept or are too large");
        return "apart";
      }
      await workspace.restore(found.bytes);
      await copies.claim(lease, place);
      log.info({ sessionKey, bytes: found.bytes.length }, "the files of a session have followed it");
      return { digest: found.digest };
    },
    async keep(lease, workspace, before) {
      await keepNow(lease, workspace, before).catch((error: unknown) => {
        if (isGatewayError(error, "conflict")) return;
        failed(lease, error);
      });
    },
  };
}
