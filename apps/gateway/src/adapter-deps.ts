import type { AdapterDeps, Audience } from "@talaria/adapter";
import type { TalariaConfig } from "@talaria/config";
import type { AccountId, Clock, Log } from "@talaria/protocol";
import { commandMenu, platformWordsIn } from "@talaria/sessions";
import type { Store } from "@talaria/store";
import type { Metrics } from "@talaria/telemetry";

/** For the accounts that are in no configuration: web chat and webhook routes. */
const catchUpMs = 24 * 60 * 60_000;

/** What an adapter may reach, by account. */
export function createAdapterDeps(options: {
  readonly config: Pick<TalariaConfig, "accounts">;
  readonly store: Pick<Store, "adapterState" | "media">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "unreadable">;
}): (id: AccountId) => AdapterDeps {
  const { config, store, clock, log, metrics } = options;
  return (id) => {
    const account = config.accounts[id];
    return {
      id,
      clock,
      commands: commandMenu(),
      wordsIn: platformWordsIn,
      ...(account === undefined ? {} : { audience: audienceOf(account) }),
      countUnreadable: (kind) => metrics.unreadable(id, kind),
      catchUpMs: account?.catchUp.maxAgeMs ?? catchUpMs,
      ...(account?.proxy === undefined ? {} : { proxy: new URL(account.proxy) }),
      log: log.child({ accountId: id }),
      store: {
        read: (name) => store.adapterState.read(id, name),
        write: (name, value) => store.adapterState.write(id, name, value),
        remove: (name) => store.adapterState.remove(id, name),
      },
      media: { open: (ref, signal) => store.media.open(ref, signal) },
    };
  };
}

/** Whoever is heard in private where access is not open is in a list or was let in. */
function audienceOf({ access }: TalariaConfig["accounts"][string]): Audience {
  return { owners: access.owners, direct: access.direct === "open" ? "guest" : "member" };
}
