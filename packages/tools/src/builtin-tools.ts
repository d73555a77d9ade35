import type { Tool, ToolResult } from "@talaria/agent";
import type { MessageCapabilities } from "@talaria/protocol";
import type { z } from "zod";
import { conversationInfo } from "./conversation-info.ts";
import { currentTime } from "./current-time.ts";
import { offerChoices } from "./offer-choices.ts";
import { readAttachment } from "./read-attachment.ts";
import { createSendFile, createSendFiles } from "./send-file.ts";

export interface BuiltinPowers extends Pick<MessageCapabilities, "send"> {
  /** Whoever talks here may read files of the workspace. */
  readonly workspace?: boolean;
}

/** Answers while the turn runs. */
type BuiltinTool = Tool<z.ZodType, ToolResult>;

/** Where it is called into a chat of strangers, for one answer in words: nobody can be asked there, and no file goes there. */
export const oneAnswerTools: readonly BuiltinTool[] = [conversationInfo, currentTime, readAttachment];

/**
 * The tools an agent has where its answer goes: files can be sent only where the platform takes them, choices everywhere,
 * since they become a numbered list where there are no buttons.
 */
export function builtinTools({ send, workspace = false }: BuiltinPowers): readonly BuiltinTool[] {
  const everywhere = [conversationInfo, currentTime, offerChoices, readAttachment];
  return send === undefined ? everywhere : [...everywhere, sendFileFor(send, workspace)];
}

/** Tools are made once: the same place gives the same ones. */
const known = new Map<string, BuiltinTool>();

function sendFileFor(send: NonNullable<MessageCapabilities["send"]>, workspace: boolean): BuiltinTool {
  const key = `${send.maxBytes} ${workspace}`;
  const tool = known.get(key) ?? (workspace ? createSendFiles(send) : createSendFile(send));
  known.set(key, tool);
  return tool;
}
