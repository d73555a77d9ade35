import { findConversations } from "./find-conversations.ts";
import { searchConversations } from "./search-conversations.ts";
import { sendMessage } from "./send-message.ts";

export const messageTools = [findConversations, sendMessage];

export const pastTools = [searchConversations];
