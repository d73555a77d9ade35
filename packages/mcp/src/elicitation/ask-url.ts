import { GatewayError } from "@talaria/protocol";
import type { Ask, FormEnd } from "./ask-form.ts";
import { type AskingTool, urlText } from "./form-text.ts";

const longestUrl = 2_000;
const agreed = "I'll open it";

/**
 * MCP 2025-11-25, client/elicitation.mdx, "Safe URL Handling": the whole address is shown before anybody agrees, its host by itself,
 * and nothing here opens or fetches it. "accept" says that the person agreed, not that they are done. Throws `invalid_request` for an
 * address that nobody should be shown.
 */
export async function askUrl(
  tool: AskingTool,
  { message, url: given }: { readonly message: string; readonly url: string },
  ask: Ask,
): Promise<FormEnd> {
  const url = given.length > longestUrl ? null : URL.parse(given);
  if (url === null) throw refused("its address can't be read, or is too long");
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere)) throw refused("its address is not https");
  if (url.username !== "" || url.password !== "") throw refused("its address has a name before the host");
  const choices = [agreed, "Decline", "Cancel"];
  const answer = await ask({ markdown: urlText(tool, message, url), choices, takesWords: false });
  if (answer.status === "answered" && answer.content === agreed) return { action: "accept" };
  const isDeclined = answer.status === "nobody" || (answer.status === "answered" && answer.content === "Decline");
  return { action: isDeclined ? "decline" : "cancel" };
}

function refused(why: string): GatewayError {
  return new GatewayError(why, { code: "invalid_request" });
}
