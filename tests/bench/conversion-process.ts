import { startTrial } from "@talaria/app-gateway";
import { defaultConfig } from "@talaria/config";
import { loadPlatform } from "@talaria/platforms";
import { type AccountId, brandAs } from "@talaria/protocol";
import { adapterDeps } from "@talaria/testkit";

export interface ConversionTask {
  readonly platform: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly port: number;
}

export interface ConversionReport {
  readonly kind: "connected" | "taken" | "used";
  /** User and system time of this process so far. */
  readonly cpuMicroseconds: number;
}

let taken = 0;
let wanted = Number.POSITIVE_INFINITY;

function report(kind: ConversionReport["kind"]): void {
  const { user, system } = process.cpuUsage();
  process.send?.({ kind, cpuMicroseconds: user + system } satisfies ConversionReport);
}

function tellWhenTaken(): void {
  if (taken < wanted) return;
  wanted = Number.POSITIVE_INFINITY;
  report("taken");
}

/** Runs one adapter whose host takes everything at once. A number asks to report when so many messages were taken in all. */
async function run({ platform, settings, port }: ConversionTask): Promise<void> {
  const create = await (await loadPlatform(platform))?.load();
  if (create === undefined) throw new Error(`no adapter for ${platform}`);
  const adapter = create(settings, adapterDeps({ id: brandAs<AccountId>("main") }));
  const { config } = defaultConfig({});
  const host = {
    accept: async () => {
      taken += 1;
      tellWhenTaken();
      return "recorded" as const;
    },
    report: ({ status }: { readonly status: string }) => {
      if (status === "connected") report("connected");
    },
    isAllowed: async () => true,
    received: async () => undefined,
    kindChanged: async () => undefined,
    added: async () => undefined,
    heard: async () => undefined,
    leftOut: () => undefined,
    receipt: async () => undefined,
  };
  const { log } = adapterDeps();
  await startTrial(adapter, host, { ...config, gateway: { ...config.gateway, port } }, log);
}

process.on("message", (message: ConversionTask | number | "usage") => {
  if (message === "usage") report("used");
  else if (typeof message === "number") {
    wanted = message;
    tellWhenTaken();
  } else void run(message);
});
