import type { WebhookRoute } from "@talaria/adapter";
import { readBody } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";
import type { CloudConfig } from "../config.ts";
import type { CloudIntake } from "./intake.ts";
import { challengeOf, isSigned } from "./verify.ts";

/** Meta posts at most 3 MB. */
export const maxBodyBytes = 3 * 1024 * 1024;

export interface WebhookDeps {
  readonly path: `/${string}`;
  readonly config: CloudConfig;
  /** Who takes notifications; nobody before a start and after a stop. */
  readonly lifecycle: { demand(): { readonly intake: Pick<CloudIntake, "accept"> } };
}

/**
 * The address that Meta posts to and asks. Nothing is parsed before the signature is proven. 200 means recorded; after
 * anything else Meta retries for up to seven days, with the same items or more in one notification.
 */
export function webhookRoutes({ path, config, lifecycle }: WebhookDeps): readonly WebhookRoute[] {
  const shared = { path, auth: "own", maxBodyBytes } as const;
  return [
    { ...shared, method: "GET", handle: async (request) => answerChallenge(request, config) },
    { ...shared, method: "POST", handle: (request) => receive(request, config, lifecycle) },
  ];
}

function answerChallenge(request: Request, config: CloudConfig): Response {
  const challenge = challengeOf(new URL(request.url).searchParams, config);
  if (challenge === undefined) return refuse(403, "the verify token is missing or wrong");
  return new Response(challenge, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

async function receive(request: Request, config: CloudConfig, lifecycle: WebhookDeps["lifecycle"]): Promise<Response> {
  let body: Uint8Array;
  try {
    body = await readBody(request, maxBodyBytes);
  } catch (error) {
    if (isGatewayError(error, "too_large")) return refuse(413, "the notification is too large");
    return refuse(400, "the body broke off");
  }
  if (!isSigned(request.headers, body, config)) return refuse(401, "the signature is missing or wrong");
  let notification: unknown;
  try {
    notification = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return refuse(400, "the body is not JSON");
  }
  try {
    await lifecycle.demand().intake.accept(notification);
    return new Response(null, { status: 200 });
  } catch (error) {
    if (isGatewayError(error, "invalid_request")) return refuse(400, error.message);
    if (isGatewayError(error, "forbidden")) return refuse(403, error.message);
    if (isGatewayError(error, "too_large")) return refuse(413, error.message);
    return refuse(503, "the notification could not be recorded");
  }
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}
