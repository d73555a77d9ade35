import type { Conversation } from "@talaria/protocol";
import { codeOf } from "../marks.ts";
import { nameAndId } from "./people-notices.ts";

export interface NamedPlace {
  readonly conversation: Conversation;
  /** Whose direct conversation it is. */
  readonly person?: { readonly displayName?: string };
}

/** `“Zoe” (10002) on telegram-main`: names and titles are in quotation marks with the id behind them, since people choose them. */
export function calledPlace({ conversation, person }: NamedPlace): string {
  const { kind, title = "", conversationId, accountId } = conversation;
  const displayName = (kind === "direct" && person?.displayName) || title;
  return `${nameAndId({ displayName, userId: conversationId })} on ${codeOf(accountId)}`;
}
