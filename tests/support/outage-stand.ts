import { setTimeout as pause } from "node:timers/promises";
import type { Adapter } from "@talaria/adapter";
import { loadPlatform } from "@talaria/platforms";
import { type AccountId, brandAs, type Clock, type Conversation, type Platform } from "@talaria/protocol";
import { adapterDeps, type LoopbackServer, type Place, type PlatformStage, RecordingHost } from "@talaria/testkit";
import type { Certificates } from "./certificates.ts";
import { CountedCalls, type Holding } from "./counted-calls.ts";
import { findName, loseName } from "./lost-names.ts";
import { type Failing, type OutageOptions, OutageProxy } from "./outage-proxy.ts";
import { serveRoutes } from "./serve-routes.ts";
import { type SmtpFailing, SmtpOutage } from "./smtp-outage.ts";

/** One more than what a server does: it can't be found. */
export type Outcome = Failing | SmtpFailing | "a name that nobody knows";

interface Outage extends Holding, AsyncDisposable {
  begin(failing: Failing | SmtpFailing): Promise<void>;
  end(): Promise<void>;
}

export interface Talk {
  readonly place: Place;
  readonly conversation: Conversation;
}

export interface StandOptions {
  readonly clock: Clock;
  readonly certificates: Certificates | undefined;
  readonly talks: number;
}

/** A platform's adapter, its emulator, and something between them that fails. People have written in so many conversations. */
export class OutageStand implements AsyncDisposable {
  readonly adapter: Adapter;
  readonly neverDoubles: boolean;
  readonly talks: Talk[] = [];
  readonly #calls: CountedCalls;
  readonly #outage: Outage;
  readonly #closing = new AsyncDisposableStack();

  private constructor(adapter: Adapter, stage: PlatformStage, outage: Outage) {
    this.#closing.use(stage);
    this.#closing.use(outage);
    this.#calls = new CountedCalls(adapter);
    this.adapter = this.#calls.adapter;
    this.neverDoubles = stage.neverDoubles;
    this.#outage = outage;
  }

  static async open(platform: Platform, stage: PlatformStage, options: StandOptions): Promise<OutageStand> {
    const { clock, certificates } = options;
    const failing: OutageOptions = { host: "localhost", clock, ...(certificates && { certificates }) };
    const { settings, outage } = await (platform === "email" ? beforeSmtp(stage, failing) : beforeHttp(stage, failing));
    const create = await (await loadPlatform(platform))?.load();
    if (create === undefined) throw new Error(`${platform} is not registered`);
    const adapter = create(settings, adapterDeps({ id: accountOf(platform), clock }));
    const stand = new OutageStand(adapter, stage, outage);
    await stand.#meet(adapter, stage, options.talks);
    return stand;
  }

  get isBusy(): boolean {
    return this.#calls.isBusy(this.#outage);
  }

  async begin(outcome: Outcome): Promise<void> {
    if (outcome === "silence") this.#calls.beginSilence();
    if (outcome === "a name that nobody knows") {
      loseName("localhost");
      await this.#outage.begin("refused connections");
    } else await this.#outage.begin(outcome);
  }

  async end(): Promise<void> {
    this.#calls.endSilence();
    findName("localhost");
    await this.#outage.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.adapter.stop();
    await this.#closing.disposeAsync();
  }

  async #meet(adapter: Adapter, stage: PlatformStage, count: number): Promise<void> {
    const host = new RecordingHost(30_000);
    const gateway: LoopbackServer = await serveRoutes([adapter]);
    this.#closing.defer(() => gateway.stop());
    await stage.reachedAt(gateway.url);
    await host.started(adapter);
    for (let n = 1; n <= count; n += 1) {
      const place = stage.meet(`guest${n}`);
      await place.say("ada", `hello ${n}`);
      const events = await host.recorded(n);
      const event = events.at(-1);
      if (event !== undefined) this.talks.push({ place, conversation: event.conversation });
    }
  }
}

/** Waits until time may pass on all of them. Whether it waited. */
export async function untilCalm(stands: readonly OutageStand[]): Promise<boolean> {
  if (!stands.some(({ isBusy }) => isBusy)) return false;
  while (stands.some(({ isBusy }) => isBusy)) await pause(1);
  return true;
}

/** The emulator of WhatsApp calls this account. */
function accountOf(platform: Platform): AccountId {
  return brandAs<AccountId>(platform === "whatsapp" ? "main" : platform);
}

interface Fronted {
  readonly settings: object;
  readonly outage: Outage;
}

async function beforeHttp(stage: PlatformStage, options: OutageOptions): Promise<Fronted> {
  const settings = JSON.stringify(settingsOf(stage));
  const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(settings) ?? [];
  const outage = await OutageProxy.before(origin, options);
  return { settings: JSON.parse(settings.replaceAll(origin, outage.origin)), outage: outage as Outage };
}

async function beforeSmtp(stage: PlatformStage, options: OutageOptions): Promise<Fronted> {
  const { smtp, ...settings } = settingsOf(stage) as { readonly smtp: { readonly port: number } };
  const outage = await SmtpOutage.before(smtp.port, options);
  const secure = options.certificates !== undefined;
  return {
    settings: { ...settings, smtp: { ...smtp, host: "localhost", port: outage.port, secure } },
    outage: outage as Outage,
  };
}

/** Without what every account has. */
function settingsOf({ account }: PlatformStage): object {
  const { platform: _, access: __, ...settings } = account;
  return settings;
}
