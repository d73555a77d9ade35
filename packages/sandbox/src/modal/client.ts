import type { ModalClient, ModalClientParams, Profile } from "modal";
import type { ModalSettings } from "../config.ts";

const modalUrl = "https://api.modal.com:443";
const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** One for each account for as long as the process lives: the SDK's `close` leaves its connection open. */
const clients = new Map<string, ModalClient>();

/** Nothing of it comes from the environment of the worker or from `~/.modal.toml`. */
export async function modalClient({ tokenId, tokenSecret, serverUrl = modalUrl }: ModalSettings): Promise<ModalClient> {
  const sdk = await import("modal");
  const key = JSON.stringify([serverUrl, tokenId, tokenSecret]);
  const client =
    clients.get(key) ?? new (ownClient(sdk.ModalClient, serverUrl))({ tokenId, tokenSecret, logger: silent });
  clients.set(key, client);
  return client;
}

/** As the SDK has it, whose types hide this method. */
type Open = new (params: ModalClientParams) => { createClient(profile: Profile): unknown };

/**
 * The SDK takes its server's address from the environment or from its file alone, and opens its connection before its
 * constructor returns. The profile that this method gets is the client's own one.
 */
function ownClient(base: typeof ModalClient, serverUrl: string): new (params: ModalClientParams) => ModalClient {
  const own: Partial<Record<keyof Profile, unknown>> = {
    ...{ serverUrl, sandboxV2: true, sandboxChannelIdleTimeoutMs: 30_000 },
    ...{ environment: undefined, imageBuilderVersion: undefined, maxThrottleWaitSecs: undefined },
  };
  const Client = class extends (base as unknown as Open) {
    override createClient(profile: Profile): unknown {
      return super.createClient(Object.assign(profile, own));
    }
  };
  return Client as unknown as new (
    params: ModalClientParams,
  ) => ModalClient;
}
