import type { WebhookRoute } from "@talaria/adapter";
import { equalSecrets, readBody } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";

/** Telegram's updates are a few KiB. */
export const maxBodyBytes = 1024 * 1024;

export interface WebhookDeps {
  readonly path: `/${string}`;
  readonly secret: string;
  /** Hands over one update. Resolves when nobody needs it again; rejects when it has to come back. */
  readonly accept: (update: unknown) => Promise<void>;
  /** Told of an update that was not accepted. Resolves with true when it is put aside and need not come back. */
  readonly giveUp: (update: object, error: unknown) => Promise<boolean>;
}

/**
 * The endpoint Telegram posts updates to. The secret is checked before the body is read. 200 means recorded; after 503
 * Telegram comes again with the same update, and holds back the later ones of the same chat.
 */
export function webhookRoute({ path, secret, accept, giveUp }: WebhookDeps): WebhookRoute {
  return {
    method: "POST",
    path,
    auth: "own",
    maxBodyBytes,
    async handle(request) {
      const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
      if (!equalSecrets(given, secret)) return answer(401, "the secret token is missing or wrong");
      let update: unknown;
      try {
        update = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await readBody(request, maxBodyBytes)));
      } catch (error) {
        if (isGatewayError(error, "too_large")) return answer(413, "the update is too large");
        return answer(400, "the body is not JSON");
      }
      if (typeof update !== "object" || update === null || !("update_id" in update))
        return answer(400, "the body is not an update");
      try {
        await accept(update);
      } catch (error) {
        if (await giveUp(update, error)) return answer(200, "");
        return answer(503, "the update could not be recorded");
      }
      return answer(200, "");
    },
  };
}

function answer(status: number, error: string): Response {
  return error === "" ? new Response(null, { status }) : Response.json({ error }, { status });
}
