import type { Acceptance, Adapter, AdapterDeps, AdapterHost, Capabilities, WebhookRoute } from "@talaria/adapter";
import { Lifecycle, type Opened, readBody } from "@talaria/adapter-kit";
import {
  brandAs,
  type Conversation,
  type EventId,
  GatewayError,
  instantOf,
  type MessageId,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { postCallback } from "./callback.ts";
import type { SecretText, WebhookConfig } from "./config.ts";
import { deliveryNameOf } from "./identify.ts";
import { type Received, requestValues, toEvent } from "./inbound.ts";
import { RouteLimits } from "./rate-limit.ts";
import { minKeyBytes, signingKeys } from "./signing-keys.ts";
import { verify, verifyHeaders } from "./verify.ts";
import { waitForReply } from "./wait.ts";
import { type Unwanted, unwantedBecause } from "./wanted.ts";

/** What a route is handed beside what every adapter is. */
export interface WebhookNeeds {
  /** Where the answers of a route with answer `deliver` go. */
  readonly replyTo?: Conversation;
  /**
   * The reply to an event once there is one, null when there will be none, undefined while the agent works. For answer
   * `wait`.
   */
  readonly replyOf: (eventId: EventId) => Promise<string | null | undefined>;
}

export type WebhookDeps = AdapterDeps & WebhookNeeds;

/** One inbound webhook route as an account: requests come in signed, answers go out as the route says. */
export function createWebhookAdapter(config: WebhookConfig, deps: WebhookDeps): Adapter {
  return new WebhookAdapter(config, deps);
}

const capabilities: Capabilities = {
  maxTextLength: 1_000_000,
  formatting: { headings: true, tables: true, codeBlocks: true, links: true },
  conversationPace: { burst: 10, refillMs: 100 },
  idempotentSend: true,
};

/** What lives between a start and the next stop. A route holds nothing open. */
interface Run extends Opened {
  readonly host: AdapterHost;
  readonly stopping: AbortSignal;
}

/** Why nobody waits for an answer any longer: the route stops, or the caller hung up. */
interface Leaving {
  readonly stopping: AbortSignal;
  readonly gone: AbortSignal;
}

class WebhookAdapter implements Adapter {
  readonly id;
  readonly platform = "webhook";
  readonly holding = "shared";
  readonly capabilities = capabilities;
  readonly #config: WebhookConfig;
  readonly #deps: WebhookDeps;
  readonly #limits: RouteLimits;
  readonly #lifecycle: Lifecycle<Run>;

  constructor(config: WebhookConfig, deps: WebhookDeps) {
    this.id = deps.id;
    this.#config = config;
    this.#deps = deps;
    this.#limits = new RouteLimits(config.rate);
    const open = (host: AdapterHost, stopping: AbortSignal): Run => {
      checkSecrets(config);
      return { host, stopping };
    };
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, open });
  }

  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    if (signal.aborted) throw new GatewayError("sending was aborted", { code: "aborted", effect: "none" });
    const { answer, secrets } = this.#config;
    const { conversation, deliveryKey } = message;
    const { clock } = this.#deps;
    if (answer.kind === "callback")
      await postCallback({ url: answer.url, secrets, message, nowMs: clock.now() }, signal);
    return { conversation, messageId: brandAs<MessageId>(deliveryKey), sentAt: instantOf(clock.now()) };
  }

  routes(): readonly WebhookRoute[] {
    const { route, maxBodyBytes } = this.#config;
    const path = `/webhooks/${route}` as const;
    return [
      {
        method: "POST",
        path,
        auth: "own",
        maxBodyBytes,
        provenByHeaders: (headers) => verifyHeaders(headers, this.#config),
        handle: (request) => this.#receive(request),
      },
    ];
  }

  /** Nothing is parsed, stored or waited for before the signature is proven. */
  async #receive(request: Request): Promise<Response> {
    const { headers } = request;
    const body = await readBody(request, this.#config.maxBodyBytes);
    const nowMs = this.#deps.clock.now();
    const isProven = verify({ headers, body, nowMs }, this.#config);
    const waitMs = this.#limits.waitMs(isProven, this.#deps.clock.elapsed());
    if (waitMs > 0) return slowDown(waitMs);
    if (!isProven) return refuse();
    const { host, stopping } = this.#lifecycle.demand();
    const values = requestValues(body, headers);
    const unwanted = unwantedBecause(values, this.#config);
    if (unwanted !== undefined) return this.#leaveOut(unwanted, host);
    const received = toEvent({ headers, body, values, nowMs, accountId: this.id }, this.#config);
    const { event, group } = received;
    const { replyTo } = this.#deps;
    const options = { ...(replyTo && { replyTo }), ...(group && { defer: group.defer }) };
    const acceptance = await host.accept(event, options);
    const delivery = deliveryNameOf(headers, this.#config);
    this.#deps.log.info({ accountId: this.id, eventId: event.id, delivery, acceptance }, "a webhook was received");
    return this.#answer(received, acceptance, { stopping, gone: request.signal });
  }

  /** A sender repeats whatever is not answered with success, so what the route does not want is too. */
  #leaveOut(unwanted: Unwanted, host: AdapterHost): Response {
    host.leftOut(leftOutFor[unwanted]);
    const reply = this.#config.answer.kind === "wait" ? { reply: null } : {};
    return Response.json({ dropped: true, reason: unwanted, ...reply });
  }

  #answer({ event, group }: Received, acceptance: Acceptance, { stopping, gone }: Leaving): Response {
    const eventId = event.id;
    const waits = this.#config.answer.kind === "wait";
    if (acceptance === "duplicate") return Response.json({ duplicate: true, eventId });
    if (acceptance === "dropped" && waits) return Response.json({ eventId, reply: null, dropped: true });
    if (acceptance === "dropped") return Response.json({ eventId, dropped: true }, { status: 202 });
    if (!waits) return Response.json({ eventId, ...(group && { groupId: group.id }) }, { status: 202 });
    const { clock, replyOf } = this.#deps;
    return waitForReply(eventId, { clock, replyOf, stopping }, gone);
  }
}

const leftOutFor: Readonly<Record<Unwanted, string>> = {
  ping: "webhook_ping",
  event: "webhook_event_not_wanted",
  when: "webhook_condition_not_met",
};

/** The same for everything that is not proven. */
function refuse(): Response {
  return Response.json({ error: "the signature is missing, wrong or too old" }, { status: 401 });
}

/** Nothing is parsed or stored: the sender comes again. */
function slowDown(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1_000);
  const error = `too many requests: try again in ${seconds} s`;
  return Response.json({ error }, { status: 429, headers: { "retry-after": String(seconds) } });
}

/** The configuration refuses more; this must hold whoever builds a route. */
function checkSecrets({ route, secrets }: WebhookConfig): void {
  const isWeak = (secret: SecretText) => Math.min(...signingKeys(secret).map((key) => key.byteLength)) < minKeyBytes;
  if (secrets.length > 0 && !secrets.some(isWeak)) return;
  throw new GatewayError(`webhook route ${route} needs secrets of at least ${minKeyBytes} bytes`, {
    code: "invalid_request",
  });
}
