import type { Adapter, AdapterDeps } from "@talaria/adapter";
import type { AccountConfig } from "@talaria/config";
import type { Platform } from "@talaria/protocol";
import type { ZodType } from "zod";

/** How one platform joins: its settings' schema and its adapter. */
export interface PlatformEntry {
  readonly schema: ZodType<AccountConfig["settings"]>;
  create(settings: AccountConfig["settings"], deps: AdapterDeps): Adapter;
}

/** The one registry. A platform's code is loaded only when an account uses it. */
const registry: Partial<Record<Platform, () => Promise<PlatformEntry>>> = {
  discord: async () => {
    const { createDiscordAdapter, discordConfigSchema: schema } = await import("@talaria/adapter-discord");
    return { schema, create: (settings, deps) => createDiscordAdapter(schema.parse(settings), deps) };
  },
  email: async () => {
    const { createEmailAdapter, emailConfigSchema: schema } = await import("@talaria/adapter-email");
    return { schema, create: (settings, deps) => createEmailAdapter(schema.parse(settings), deps) };
  },
  matrix: async () => {
    const { createMatrixAdapter, matrixConfigSchema: schema } = await import("@talaria/adapter-matrix");
    return { schema, create: (settings, deps) => createMatrixAdapter(schema.parse(settings), deps) };
  },
  slack: async () => {
    const { createSlackAdapter, slackConfigSchema: schema } = await import("@talaria/adapter-slack");
    return { schema, create: (settings, deps) => createSlackAdapter(schema.parse(settings), deps) };
  },
  telegram: async () => {
    const { createTelegramAdapter, telegramConfigSchema: schema } = await import("@talaria/adapter-telegram");
    return { schema, create: (settings, deps) => createTelegramAdapter(schema.parse(settings), deps) };
  },
  whatsapp: async () => {
    const { createWhatsappAdapter, whatsappConfigSchema: schema } = await import("@talaria/adapter-whatsapp");
    return { schema, create: (settings, deps) => createWhatsappAdapter(schema.parse(settings), deps) };
  },
};

/** Loads the platforms that are named and known here. */
export async function loadPlatforms(names: Iterable<string>): Promise<ReadonlyMap<Platform, PlatformEntry>> {
  const loaded = new Map<Platform, PlatformEntry>();
  for (const name of new Set(names)) {
    const load = Object.hasOwn(registry, name) ? registry[name as Platform] : undefined;
    if (load !== undefined) loaded.set(name as Platform, await load());
  }
  return loaded;
}
