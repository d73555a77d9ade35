import type { IdForms, Platform } from "@talaria/protocol";
import type { z } from "zod";
import type { Adapter } from "./adapter.ts";
import type { AdapterDeps } from "./adapter-deps.ts";
import type { SetupGuide } from "./setup-guide.ts";

/** Makes the adapter of one account. `settings` pass the platform's schema on the way. Does no I/O. */
export type CreateAdapter<Needs = unknown> = (settings: unknown, deps: AdapterDeps & Needs) => Adapter;

/**
 * A platform that the gateway has accounts of by itself, such as the web chat. `Needs` is what it has to be handed beside
 * `AdapterDeps`. Loading a module loads no library of the platform: any process may do it, whether it holds connections or not.
 */
export interface OwnPlatform<Needs = unknown> {
  readonly name: Platform;
  /** The keys of an account beside those that every account has. */
  readonly configSchema: z.ZodType;
  /** What the agent is told about writing there, as far as capabilities cannot tell it. Part of the frozen prompt: change it rarely. */
  readonly hint: string;
  /** Loads the adapter and the libraries it needs. */
  load(): Promise<CreateAdapter<Needs>>;
}

/** Everything about a platform that the accounts of the configuration file may name. */
export interface PlatformModule extends OwnPlatform {
  /** What `talaria check` says about an account's settings, which pass the schema: what they open, and what they need elsewhere. */
  remarks?(settings: unknown): readonly string[];
  /** What people and groups are called in `access.allow`. */
  readonly ids: IdForms;
  /** The key that two accounts cannot share: they would be one and the same bot, number or mailbox. */
  readonly identityKey: string;
  readonly setup: SetupGuide;
  /** Whether a conversation of this id is between two. False where the platform's ids do not tell. */
  isDirect(conversationId: string): boolean;
}

/** What a platform's package writes down: `load` gives the function that takes settings of the schema's type. */
type Described<Module extends OwnPlatform<never>, Settings, Needs> = Omit<
  Module,
  "configSchema" | "load" | "remarks"
> & {
  readonly configSchema: z.ZodType<Settings>;
  remarks?(settings: Settings): readonly string[];
  load(): Promise<(settings: Settings, deps: AdapterDeps & Needs) => Adapter>;
};

/** Makes the module of a platform; what its adapter is handed has passed its schema. */
export function definePlatform<Settings>(described: Described<PlatformModule, Settings, unknown>): PlatformModule {
  const { remarks } = described;
  return {
    ...described,
    load: checked(described),
    ...(remarks && { remarks: (settings: unknown) => remarks(described.configSchema.parse(settings)) }),
  } as PlatformModule;
}

/** The same for a platform of the gateway's own. */
export function defineOwnPlatform<Settings, Needs>(
  described: Described<OwnPlatform<Needs>, Settings, Needs>,
): OwnPlatform<Needs> {
  return { ...described, load: checked(described) };
}

function checked<Settings, Needs>({
  configSchema,
  load,
}: Pick<Described<OwnPlatform<Needs>, Settings, Needs>, "configSchema" | "load">) {
  return async (): Promise<CreateAdapter<Needs>> => {
    const create = await load();
    return (settings, deps) => create(configSchema.parse(settings), deps);
  };
}
