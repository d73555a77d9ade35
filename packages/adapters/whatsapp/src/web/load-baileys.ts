import { GatewayError } from "@talaria/protocol";
import { silenceLibsignal } from "./silence.ts";

export type Baileys = typeof import("@whiskeysockets/baileys");

const remedy =
  "this installation has no WhatsApp Web, whose libraries are under the GPL-3.0: use `mode: cloud`, or build the image with --build-arg WHATSAPP_WEB=yes";

/**
 * The library of WhatsApp Web, which takes a while and 40 MB. Throws `invalid_request`, with what the operator can do, in
 * an installation that leaves it out.
 */
export async function loadBaileys(): Promise<Baileys> {
  silenceLibsignal(globalThis.console);
  try {
    return await import("@whiskeysockets/baileys");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new GatewayError(`whatsapp web can't be used: ${remedy}`, {
      code: "invalid_request",
      effect: "none",
      details: { hint: remedy },
      cause: error,
    });
  }
}
