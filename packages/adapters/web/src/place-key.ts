import { type AccountId, brandAs, type ConversationId, GatewayError } from "@talaria/protocol";
import type { WebPlace } from "./channel.ts";

/** A conversation of any account, as a part of an address. Account ids have no slash. */
export function writeKey({ accountId, conversationId }: Required<WebPlace>): string {
  return Buffer.from(`${accountId}/${conversationId}`).toString("base64url");
}

/** Throws `not_found` for what `writeKey` has not written. */
export function readKey(key: string | undefined): Required<WebPlace> {
  const [, accountId, conversationId] =
    /^([^/\0]+)\/([^\0]+)$/.exec(Buffer.from(key ?? "", "base64url").toString("utf8")) ?? [];
  if (accountId === undefined || conversationId === undefined)
    throw new GatewayError("there is no such conversation", { code: "not_found" });
  return { accountId: brandAs<AccountId>(accountId), conversationId: brandAs<ConversationId>(conversationId) };
}
