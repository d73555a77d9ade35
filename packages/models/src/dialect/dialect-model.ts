import type { ModelPort } from "@talaria/agent";
import { keysOf, type ModelDeps, type RemoteConfig, reveal, type SecretText } from "../model-config.ts";
import type { Dialect } from "./dialect.ts";
import { ModelCall, type Sight } from "./model-call.ts";

/** A model behind a server that speaks this dialect. One request per stream, no retries. */
export function createDialectModel<Client, Chunk>(
  dialect: Dialect<Client, Chunk>,
  config: RemoteConfig,
  deps: ModelDeps,
): ModelPort {
  const sight: Sight = { blindUntil: 0 };
  const keys = keysOf(config);
  const secrets = [...keys, ...Object.values(config.headers ?? {})].map(reveal);
  let client: Promise<Client> | undefined;
  const connect = (apiKey: SecretText | undefined) => {
    client ??= dialect.connect(apiKey).catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    return client;
  };
  return {
    async *stream(request, signal) {
      const call = new ModelCall(dialect, config, { ...deps, sight, secrets }, signal);
      try {
        yield* call.run(await connect(keys[0]), request);
      } catch (error) {
        yield call.failureOf(error);
      } finally {
        call.close();
      }
    },
  };
}
