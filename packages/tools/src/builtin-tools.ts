import type { Tool } from "@talaria/agent";
import { conversationInfo } from "./conversation-info.ts";
import { currentTime } from "./current-time.ts";
import { offerChoices } from "./offer-choices.ts";
import { readAttachment } from "./read-attachment.ts";
import { sendFile } from "./send-file.ts";

/** The tools every agent has. */
export function builtinTools(): readonly Tool[] {
  return [conversationInfo, currentTime, offerChoices, readAttachment, sendFile];
}
