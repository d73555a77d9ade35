import { findConversations } from "./find-conversations.ts";
import { sendMessage } from "./send-message.ts";

export const messageTools = [findConversations, sendMessage];
