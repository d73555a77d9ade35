import {
  startTelegramServer,
  type TelegramServer,
  type TelegramServerOptions,
} from "@talaria/adapter-telegram/emulator";
import { type ModelServer, type ModelServerOptions, startModelServer } from "@talaria/testkit";
import { freePort } from "./free-port.ts";
import { Installation, type InstallationOptions } from "./installation.ts";
import { ModelPlan } from "./model-plan.ts";

export interface WorldOptions {
  readonly telegram?: TelegramServerOptions;
  readonly model?: ModelServerOptions;
  /** YAML beside `models`; called when the servers listen and before the gateway does, on `port`. */
  readonly config: (telegram: TelegramServer, port: number, model: ModelServer) => string;
  /** More keys of the model's entry, as YAML flow text: `idleMs: 500`. */
  readonly modelKeys?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: `shared`. */
  readonly database?: InstallationOptions["database"];
}

/** A whole installation between a Telegram server and a model server, all on this machine. */
export interface World extends AsyncDisposable {
  readonly telegram: TelegramServer;
  readonly model: ModelServer;
  readonly plan: ModelPlan;
  readonly talaria: Installation;
}

export const modelKey = "sk-canary-model-key-0001";

export async function startWorld(options: WorldOptions): Promise<World> {
  const plan = new ModelPlan();
  const telegram = await startTelegramServer(options.telegram);
  const model = await startModelServer({ respond: plan.respond, apiKey: modelKey, ...options.model });
  const keys = options.modelKeys === undefined ? "" : `, ${options.modelKeys}`;
  const models = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "${modelKey}", model: test-model${keys} } }`;
  const stopServers = async () => {
    await model.stop();
    await telegram.stop();
  };
  try {
    const port = await freePort();
    const config = `${models}\n${options.config(telegram, port, model)}`;
    const { env, database = "shared" } = options;
    const talaria = await Installation.start({ config, port, database, ...(env && { env }) });
    const stop = async () => {
      await talaria.remove();
      await stopServers();
    };
    return { telegram, model, plan, talaria, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stopServers();
    throw error;
  }
}
