import type { Platform } from "@talaria/protocol";
import { startDiscordStage } from "./discord-stage.ts";
import { startEmailStage } from "./email-stage.ts";
import { startMatrixStage } from "./matrix-stage.ts";
import type { PlatformStage } from "./platform-stage.ts";
import { startSlackStage } from "./slack-stage.ts";
import { startTelegramStage } from "./telegram-stage.ts";
import { startWhatsappStage } from "./whatsapp-stage.ts";

/** Every platform on which people talk to the agent, by its emulator. */
export const stages: readonly (readonly [Platform, () => Promise<PlatformStage>])[] = [
  ["telegram", startTelegramStage],
  ["discord", startDiscordStage],
  ["slack", startSlackStage],
  ["whatsapp", startWhatsappStage],
  ["matrix", startMatrixStage],
  ["email", startEmailStage],
];
