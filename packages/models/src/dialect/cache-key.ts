import { createHash } from "node:crypto";
import type { SessionKey } from "@talaria/protocol";

/**
 * What a provider is told of a session, so that requests with one beginning reach one cache. Session keys hold people's
 * addresses and grow beyond the 64 characters that OpenAI takes (400 `string_above_max_length`); this has 43, and names nobody.
 */
export function cacheKeyOf(session: SessionKey): string {
  return createHash("sha256").update(session).digest("base64url");
}
