import { randomUUID } from "node:crypto";
import { FaultPlan, LoopbackServer, type WebhookRetry } from "@talaria/testkit";
import type { WhatsappAction, WhatsappFault } from "./faults.ts";
import { createWhatsappListener, type WhatsappCall } from "./http.ts";
import { realWhatsappLimits, SendLimits, type WhatsappLimits } from "./pair-limit.ts";
import { WhatsappPerson } from "./person.ts";
import { quickWhatsappRetry } from "./webhook-pusher.ts";
import { WhatsappWorld } from "./world.ts";

export interface WhatsappServerOptions {
  readonly phoneNumberId?: string;
  readonly accessToken?: string;
  readonly appSecret?: string;
  /** Milliseconds; stamps messages and drives windows and limits. Retries use real timers. */
  readonly now?: () => number;
  /** `off` unless told otherwise. */
  readonly limits?: "real" | "off" | Partial<WhatsappLimits>;
  /** Numbers that may be written to, as on a test account; any unless told otherwise. */
  readonly allowed?: readonly string[];
  readonly retry?: Partial<WebhookRetry>;
}

export interface NewWhatsappPerson {
  /** Digits with the country code. */
  readonly number?: string;
  /** Has a user name and shows no number. */
  readonly hidesNumber?: boolean;
}

/** Starts a Cloud API on a loopback port. Call `stop` when done. */
export async function startWhatsappServer(options: WhatsappServerOptions = {}): Promise<WhatsappServer> {
  const world = new WhatsappWorld({
    phoneNumberId: options.phoneNumberId ?? "106540352242922",
    displayNumber: "15550783881",
    appSecret: options.appSecret ?? "0123456789abcdef0123456789abcdef",
    now: options.now ?? Date.now,
    retry: { ...quickWhatsappRetry, ...options.retry },
  });
  const accessToken = options.accessToken ?? "EAAemulated-token-for-tests-only";
  const limits = limitsOf(options.limits);
  const parts = {
    world,
    accessTokens: new Set([accessToken]),
    allowed: options.allowed && new Set(options.allowed),
    faults: new FaultPlan<WhatsappFault>(),
    limits,
    calls: [] as WhatsappCall[],
    root: (): string => http.url,
  };
  const http = await LoopbackServer.listen(createWhatsappListener(parts));
  return new WhatsappServer(http, { ...parts, accessToken });
}

interface ServerParts {
  readonly world: WhatsappWorld;
  readonly accessTokens: Set<string>;
  readonly accessToken: string;
  readonly faults: FaultPlan<WhatsappFault>;
  readonly limits: SendLimits | undefined;
  readonly calls: readonly WhatsappCall[];
}

/** A running server: the people's side of WhatsApp, and what a test wants to know or to go wrong. */
export class WhatsappServer implements AsyncDisposable {
  /** For `apiRoot`. */
  readonly url: string;
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken = "verify-token-for-tests";
  /** The last calls of the business. */
  readonly calls: readonly WhatsappCall[];
  readonly #http: LoopbackServer;
  readonly #parts: ServerParts;
  #people = 0;

  constructor(http: LoopbackServer, parts: ServerParts) {
    this.#http = http;
    this.#parts = parts;
    this.url = http.url;
    this.phoneNumberId = parts.world.options.phoneNumberId;
    this.appSecret = parts.world.options.appSecret;
    this.accessToken = parts.accessToken;
    this.calls = parts.calls;
  }

  person(name: string, { number, hidesNumber = false }: NewWhatsappPerson = {}): WhatsappPerson {
    this.#people += 1;
    const personId = number ?? `4915550${String(this.#people).padStart(6, "0")}`;
    const scopedId = `DE.${1_000_000_000 + this.#people}`;
    const chat = {
      personId,
      name,
      scopedId,
      hidesNumber,
      messages: [],
      typing: [],
      readByBusiness: new Set<string>(),
      lastWroteAt: undefined,
    };
    this.#parts.world.chats.set(personId, chat);
    return new WhatsappPerson(this.#parts.world, chat);
  }

  /** Enters the callback as Meta's form does: asks it to echo a challenge, and throws when it does not. */
  async subscribe(callback: string, verifyToken = this.verifyToken): Promise<void> {
    const challenge = randomUUID().replaceAll("-", "").slice(0, 10);
    const url = new URL(callback);
    url.searchParams.set("hub.mode", "subscribe");
    url.searchParams.set("hub.verify_token", verifyToken);
    url.searchParams.set("hub.challenge", challenge);
    const response = await fetch(url, { redirect: "manual" });
    const text = await response.text();
    if (response.status !== 200 || text !== challenge)
      throw new Error(`the callback answered ${response.status} and did not echo the challenge`);
    this.callTo(callback);
  }

  /** Posts to this address without asking it first. */
  callTo(callback: string): void {
    this.#parts.world.pusher.callback = callback;
  }

  /** What people do within `act` arrives in one notification of several entries. */
  together(act: () => void): void {
    this.#parts.world.pusher.together(act);
  }

  /** The next `count` notifications arrive twice. */
  duplicateNext(count = 1): void {
    this.#parts.world.pusher.duplicateNext(count);
  }

  /** The next notification is overtaken by the one after it. */
  reverseNext(): void {
    this.#parts.world.pusher.reverseNext();
  }

  /** Whether the callback has taken the message with this id. */
  isDelivered(messageId: string): boolean {
    return this.#parts.world.pusher.isDelivered(messageId);
  }

  /** Notifications that the callback has not taken. */
  get waiting(): number {
    return this.#parts.world.pusher.waiting;
  }

  /** How often the callback answered something else than 200. */
  get failedPosts(): number {
    return this.#parts.world.pusher.failures;
  }

  /** Posts a body once, signed rightly unless told otherwise; `null` leaves the signature out. */
  post(body: string | Uint8Array, signature?: string | null): Promise<Response> {
    return this.#parts.world.pusher.post(body, signature);
  }

  signatureOf(body: string | Uint8Array): string {
    return this.#parts.world.pusher.signatureOf(body);
  }

  /** Orders a fault for the next `times` calls; `when` narrows it to calls with certain parameters. */
  fail(
    action: WhatsappAction,
    fault: WhatsappFault,
    times = 1,
    when?: (parameters: Readonly<Record<string, unknown>>) => boolean,
  ): void {
    this.#parts.faults.add(action, fault, times, when);
  }

  /** The access token no longer works. */
  revokeToken(): void {
    this.#parts.accessTokens.clear();
  }

  /** Sends that a limit refused. */
  get refusedByLimit(): number {
    return this.#parts.limits?.refused ?? 0;
  }

  /** Cuts every connection and refuses new ones until `goOnline`. Webhooks still go out. */
  goOffline(): void {
    this.#http.goOffline();
  }

  goOnline(): void {
    this.#http.goOnline();
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#parts.world.pusher.stop();
    await this.#http.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function limitsOf(limits: WhatsappServerOptions["limits"] = "off"): SendLimits | undefined {
  if (limits === "off") return undefined;
  return new SendLimits(limits === "real" ? realWhatsappLimits : { ...realWhatsappLimits, ...limits });
}
