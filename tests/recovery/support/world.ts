import {
  startTelegramServer,
  type TelegramServer,
  type TelegramServerOptions,
} from "@talaria/adapter-telegram/emulator";
import { type ModelServer, startModelServer } from "@talaria/testkit";
import { Answers } from "./answers.ts";
import { Fleet, type FleetOptions } from "./fleet.ts";

export interface FleetWorldOptions extends Pick<FleetOptions, "databaseUrl" | "redisUrl"> {
  readonly telegram?: TelegramServerOptions;
  /** How long dead processes keep what they held. */
  readonly leaseMs: number;
  readonly turns?: number;
  /** What wakes the agent in groups; `always` unless told otherwise. */
  readonly activation?: "always" | "mention";
  /** Of every account; everybody may write unless told otherwise. */
  readonly access?: string;
  /** Ids on Telegram. */
  readonly owners?: readonly number[];
}

/** A fleet without processes yet, between a Telegram server and a model server. */
export interface FleetWorld extends AsyncDisposable {
  readonly telegram: TelegramServer;
  readonly model: ModelServer;
  readonly answers: Answers;
  readonly fleet: Fleet;
}

export async function createFleetWorld(options: FleetWorldOptions): Promise<FleetWorld> {
  const { databaseUrl, redisUrl } = options;
  const answers = new Answers();
  const telegram = await startTelegramServer(options.telegram);
  const model = await startModelServer({ respond: answers.respond });
  const stopServers = async () => {
    await model.stop();
    await telegram.stop();
  };
  try {
    const config = configOf(telegram, model, options);
    const fleet = await Fleet.create({ config, redisUrl, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    const stop = async () => {
      await fleet[Symbol.asyncDispose]();
      await stopServers();
    };
    return { telegram, model, answers, fleet, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stopServers();
    throw error;
  }
}

/** One account per bot: `bot-0`, `bot-1` ... Nothing steers a turn that runs. */
export function configOf(
  telegram: TelegramServer,
  model: ModelServer,
  {
    leaseMs,
    turns = 16,
    activation = "always",
    access = "{ direct: open, groups: open }",
    owners = [],
  }: Pick<FleetWorldOptions, "leaseMs" | "turns" | "activation" | "access" | "owners">,
  bots = telegram.bots,
): string {
  const accounts = bots.map(
    ({ token }) => `
  bot-${telegram.bots.findIndex((bot) => bot.token === token)}:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: ${access}
    groups: { activation: ${activation} }
    busy: { direct: queue, groups: queue }
    updateIntervalsMs: { draft: 100, group: 200 }`,
  );
  return `
owners: [${owners.map((id) => `"telegram:user:${id}"`).join(", ")}]
workers: { processes: 1, turns: ${turns} }
leases: { sessionMs: ${leaseMs}, accountMs: ${leaseMs} }
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: test, model: test-model } }
accounts:${accounts.join("")}
`;
}
