import { platformNames } from "@talaria/platforms";
import type { Platform } from "@talaria/protocol";
import type { PlatformStage, SetupCase } from "@talaria/testkit";

/** What the emulator of every platform exports beside its own server. */
interface Emulator {
  startStage(): Promise<PlatformStage>;
  readonly setupCase: SetupCase;
}

const emulators = await Promise.all(
  platformNames.map(async (name) => [name, (await import(`@talaria/adapter-${name}/emulator`)) as Emulator] as const),
);

/** Every platform on which people talk to the agent, by its emulator. */
export const stages: readonly (readonly [Platform, () => Promise<PlatformStage>])[] = emulators.map(
  ([name, { startStage }]) => [name, startStage],
);

/** What a person types who sets up an account on each of them. */
export const setupCases: readonly (readonly [Platform, SetupCase])[] = emulators.map(([name, { setupCase }]) => [
  name,
  setupCase,
]);
