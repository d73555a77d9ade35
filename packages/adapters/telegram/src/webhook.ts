import type { WebhookRoute } from "@talaria/adapter";
import { equalSecrets, readBody } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";
import type { Intake } from "./intake.ts";

/** Telegram's updates are a few KiB. */
export const maxBodyBytes = 1024 * 1024;

export interface WebhookDeps {
  readonly path: `/${string}`;
  readonly secret: string;
  /** Who takes updates now; nobody before a start and after a stop. */
  readonly lifecycle: { readonly running: { readonly intake: Pick<Intake, "accept" | "giveUp"> } | undefined };
}

/**
 * The endpoint Telegram posts updates to. The secret is checked before the body is read. 200 means recorded; after 503
 * Telegram retries the same update, and holds back later ones of the same chat.
 */
export function webhookRoute({ path, secret, lifecycle }: WebhookDeps): WebhookRoute {
  const isProven = (headers: Headers) => equalSecrets(headers.get("x-telegram-bot-api-secret-token") ?? "", secret);
  return {
    method: "POST",
    path,
    auth: "own",
    maxBodyBytes,
    provenByHeaders: (headers) => isProven(headers) || undefined,
    async handle(request) {
      if (!isProven(request.headers)) return answer(401, "the secret token is missing or wrong");
      let update: unknown;
      try {
        update = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await readBody(request, maxBodyBytes)));
      } catch (error) {
        if (isGatewayError(error, "too_large")) return answer(413, "the update is too large");
        return answer(400, "the body is not JSON");
      }
      if (typeof update !== "object" || update === null || !("update_id" in update))
        return answer(400, "the body is not an update");
      const intake = lifecycle.running?.intake;
      if (intake === undefined) return answer(503, "the account is not connected");
      try {
        await intake.accept(update);
      } catch (error) {
        if (await intake.giveUp(update, error, false)) return answer(200, "");
        return answer(503, "the update could not be recorded");
      }
      return answer(200, "");
    },
  };
}

function answer(status: number, error: string): Response {
  return error === "" ? new Response(null, { status }) : Response.json({ error }, { status });
}
