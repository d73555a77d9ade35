import type { PlatformStage } from "@talaria/testkit";

/** A server that speaks the platform's protocol, as its people use it: every suite that runs on all platforms begins here. */
export async function startStage(): Promise<PlatformStage> {
  throw new Error("write the stage: a fake of the platform below src/emulator, and its people");
}
