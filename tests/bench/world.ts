import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { type ModelScript, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";

export interface WorldOptions {
  /** Delay before the model's first word. 0: it answers at once. */
  readonly modelMs?: number;
  readonly turns?: number;
  readonly workers?: number;
  readonly busy?: "queue" | "steer";
  readonly env?: Readonly<Record<string, string>>;
  /** Of the model. */
  readonly contextTokens?: number;
  /** YAML of further sections. */
  readonly sections?: (telegram: TelegramServer) => string;
}

/** A whole installation with a Telegram server and a model server, all on this machine. */
export interface BenchWorld extends AsyncDisposable {
  readonly telegram: TelegramServer;
  readonly model: ModelServer;
  readonly talaria: Installation;
}

export async function startWorld(options: WorldOptions = {}): Promise<BenchWorld> {
  const { modelMs = 0, turns = 16, workers = 1, busy = "queue", env = {}, sections = () => "" } = options;
  const { contextTokens = 128_000 } = options;
  const telegram = await startTelegramServer();
  const model = await startModelServer({
    respond: (request): ModelScript => say(`answer to ${request.lastUserText}`, { delayMs: modelMs, pieces: 1 }),
    keepRequests: 0,
  });
  const talaria = await Installation.start({
    env: { LOG_LEVEL: "error", ...env },
    config: `
workers: { processes: ${workers}, turns: ${turns} }
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: bench, model: bench, contextTokens: ${contextTokens} } }
accounts:
  telegram-bench:
    platform: telegram
    token: "${telegram.token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open }
    busy: { direct: ${busy} }
${sections(telegram)}
`,
  });
  return {
    telegram,
    model,
    talaria,
    [Symbol.asyncDispose]: async () => {
      await talaria.remove();
      await model.stop();
      await telegram.stop();
    },
  };
}
