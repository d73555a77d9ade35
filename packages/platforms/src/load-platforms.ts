import type { PlatformModule } from "@talaria/adapter";
import type { Platform } from "@talaria/protocol";
import { ownRegistry, registry } from "./registry.ts";

/** What `platform` of an account may be, in the order in which documents list it. Known without loading anything. */
export const platformNames = Object.keys(registry) as readonly Platform[];

/** The module of a platform that accounts may name; undefined if there is no such platform. */
export async function loadPlatform(name: string): Promise<PlatformModule | undefined> {
  if (!Object.hasOwn(registry, name)) return undefined;
  return (await registry[name as Platform]?.())?.platform;
}

/** Whether an id has the form of a person's on a platform that accounts may name. */
export async function isUserIdOn(platform: string, id: string): Promise<boolean> {
  return (await loadPlatform(platform))?.ids.user.test(id) ?? false;
}

/** The modules of the given names; unknown names are skipped. */
export async function loadPlatforms(names: Iterable<string>): Promise<ReadonlyMap<Platform, PlatformModule>> {
  const modules = await Promise.all([...new Set(names)].map(loadPlatform));
  return new Map(modules.flatMap((module) => (module === undefined ? [] : [[module.name, module] as const])));
}

/** The modules of the gateway's own accounts. */
export const ownPlatforms = {
  web: async () => (await ownRegistry.web()).platform,
  webhook: async () => (await ownRegistry.webhook()).platform,
};

/** What the agent is told about writing on a platform. Undefined if the conversation's platform has been removed. */
export async function hintOf(name: Platform): Promise<string | undefined> {
  const module = Object.hasOwn(ownRegistry, name)
    ? await ownPlatforms[name as keyof typeof ownPlatforms]()
    : await loadPlatform(name);
  return module?.hint;
}
