import type { Tool, ToolResult } from "@talaria/agent";
import type { MessageCapabilities } from "@talaria/protocol";
import type { z } from "zod";
import { conversationInfo } from "./conversation-info.ts";
import { currentTime } from "./current-time.ts";
import { offerChoices } from "./offer-choices.ts";
import { readAttachment } from "./read-attachment.ts";
import { sendFile } from "./send-file.ts";

/** Answers while the turn runs. */
type BuiltinTool = Tool<z.ZodType, ToolResult>;

/** Where it is called into a chat of strangers, for one answer in words: nobody can be asked there, and no file goes there. */
export const oneAnswerTools: readonly BuiltinTool[] = [conversationInfo, currentTime, readAttachment];

/**
 * The tools an agent has where its answer goes: files can be sent only where the platform takes them, choices everywhere,
 * since they become a numbered list where there are no buttons.
 */
export function builtinTools({ send }: Pick<MessageCapabilities, "send">): readonly BuiltinTool[] {
  const everywhere = [conversationInfo, currentTime, offerChoices, readAttachment];
  return send === undefined ? everywhere : [...everywhere, sendFile];
}
