import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SlackServer, startSlackServer } from "@talaria/adapter-slack/emulator";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { type ModelRequest, type ModelServer, startModelServer } from "@talaria/testkit";
import { Fleet } from "../recovery/support/fleet.ts";
import type { FleetProcess } from "../recovery/support/fleet-process.ts";
import { consoleDesk, type Desk, slackDesk, telegramDesk } from "./file-desks.ts";
import { ModelPlan } from "./model-plan.ts";
import { waitFor } from "./wait-for.ts";

/** A message that comes before the account is connected comes again soon. */
const redelivery = { pausesMs: [300, 1_000, 3_000, 9_000] };
const token = "a-token-of-the-operator-of-enough-letters";

/** A person each on Telegram, on Slack and in the console, one gateway, and a worker that stands on a machine with a folder of its own. */
export class DeskFleet implements AsyncDisposable {
  readonly desks: readonly Desk[];
  readonly telegram: TelegramServer;
  readonly model: ModelServer;
  readonly plan: ModelPlan;
  readonly #slack: SlackServer;
  readonly #fleet: Fleet;
  readonly #base: string;
  readonly #configOf: (folder: string) => string;
  #worker: FleetProcess;
  #machines = 1;

  private constructor(parts: Parts, worker: FleetProcess) {
    const { desks, telegram, model, plan, slack, fleet, base, configOf } = parts;
    [this.desks, this.telegram, this.model, this.plan] = [desks, telegram, model, plan];
    [this.#slack, this.#fleet, this.#base, this.#configOf, this.#worker] = [slack, fleet, base, configOf, worker];
  }

  /** `more`: YAML beside `sandbox`, `owners` and `accounts`. */
  static async start(more = ""): Promise<DeskFleet> {
    const plan = new ModelPlan();
    const base = await mkdtemp(join(tmpdir(), "talaria-machines-"));
    await chmod(base, 0o711);
    const [telegram, slack] = await Promise.all([startTelegramServer(), startSlackServer({ redelivery })]);
    const transcribe = ({ bytes }: { readonly bytes: Buffer }) => `heard: ${bytes.subarray(4).toString("latin1")}`;
    const model = await startModelServer({ respond: plan.respond, transcribe });
    const [ada, eve] = [telegram.user({ first_name: "Ada", id: 4242 }), slack.user("eve")];
    const configOf = (folder: string) => `
auth: { token: ${token} }
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }
sandbox: { backend: sandbox, folder: "${folder}" }
transcription: { baseUrl: "${model.baseUrl}", apiKey: key, model: whisper-test }
leases: { sessionMs: 2000, accountMs: 2000 }
owners: ["telegram:user:${ada.id}", "slack:user:${eve.id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
  team: { platform: slack, botToken: "${slack.botToken}", appToken: "${slack.appToken}", apiRoot: "${slack.api}", access: { direct: open } }
${more}`;
    const stopServers = () => Promise.all([telegram.stop(), slack.stop(), model.stop()]);
    const fleet = await Fleet.create({ config: configOf(base) });
    const starting = [fleet.start("gateway"), startWorker(fleet, base, configOf, 1)] as const;
    const [gateway, worker] = await Promise.all(starting).catch(async (error: unknown) => {
      // Servers that listen would keep the test from ending.
      await Promise.all([Promise.allSettled(starting).then(() => fleet[Symbol.asyncDispose]()), stopServers()]);
      throw error;
    });
    const desks = [telegramDesk(telegram, ada), slackDesk(slack, eve), consoleDesk(gateway.url ?? "", token)];
    return new DeskFleet({ desks, telegram, model, plan, slack, fleet, base, configOf }, worker);
  }

  /** Once each desk's turn waits in the middle, its worker dies, and one with another folder takes all of them. */
  async killedWhen(isInTheMiddle: (asked: readonly ModelRequest[]) => boolean, words: string): Promise<void> {
    this.#machines += 1;
    const successor = startWorker(this.#fleet, this.#base, this.#configOf, this.#machines);
    const all = () => this.desks.every(({ name }) => isInTheMiddle(this.requestsWith(`${name}: ${words}`)));
    try {
      await waitFor(all, "all turns to be in their middle", 120_000);
    } finally {
      const next = await successor;
      await this.#worker.kill();
      this.#worker = next;
    }
  }

  requestsWith(words: string): readonly ModelRequest[] {
    return this.model.requests.filter(({ lastUserText }) => lastUserText.includes(words));
  }

  /** What each request with these words had as its last result. */
  resultsOf(words: string): readonly string[] {
    return this.requestsWith(words).map(({ toolResults }) => toolResults.at(-1) ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fleet[Symbol.asyncDispose]();
    await Promise.all([this.telegram.stop(), this.#slack.stop(), this.model.stop()]);
    await rm(this.#base, { recursive: true, force: true });
  }
}

/** The model has a result of this turn, so a worker has acted. */
export function hasWorked(asked: readonly ModelRequest[], results = 1): boolean {
  return asked.some(({ toolResults }) => toolResults.length >= results);
}

interface Parts extends Pick<DeskFleet, "desks" | "telegram" | "model" | "plan"> {
  readonly slack: SlackServer;
  readonly fleet: Fleet;
  readonly base: string;
  readonly configOf: (folder: string) => string;
}

async function startWorker(
  fleet: Fleet,
  base: string,
  configOf: Parts["configOf"],
  count: number,
): Promise<FleetProcess> {
  const folder = join(base, `machine-${count}`);
  await mkdir(folder, { mode: 0o711 });
  const file = await fleet.addConfig(`machine-${count}.yaml`, configOf(folder));
  return await fleet.start("worker", { TALARIA_CONFIG: file });
}
