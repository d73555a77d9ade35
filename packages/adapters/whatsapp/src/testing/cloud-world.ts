import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type GatewayError,
  isGatewayError,
  type OutboundMessage,
} from "@talaria/protocol";
import { adapterDeps, type DepsFacts, messageTo, RecordingHost } from "@talaria/testkit";
import { whatsappConfigSchema } from "../config.ts";
import { createWhatsappAdapter } from "../create-adapter.ts";
import { startWhatsappServer, type WhatsappServerOptions } from "../emulator/index.ts";
import { startGateway } from "./gateway.ts";

export const accountId = brandAs<AccountId>("whatsapp-main");

export interface WorldOptions extends WhatsappServerOptions {
  readonly settings?: object;
  readonly deps?: DepsFacts;
}

/** A server with Ada, and an adapter behind a gateway that is not started. */
export async function makeCloudWorld({ settings = {}, deps = {}, ...options }: WorldOptions = {}) {
  const server = await startWhatsappServer(options);
  const ada = server.person("Ada Lovelace");
  const { phoneNumberId, accessToken, appSecret, verifyToken, url: apiRoot } = server;
  const config = whatsappConfigSchema.parse({
    phoneNumberId,
    accessToken,
    appSecret,
    verifyToken,
    apiRoot,
    ...settings,
  });
  const adapter = createWhatsappAdapter(config, adapterDeps({ id: accountId, ...deps }));
  const gateway = await startGateway(() => adapter);
  server.callTo(gateway.urlOf(adapter));
  const close = async () => {
    await adapter.stop();
    await server.stop();
    await gateway.stop();
  };
  return { server, ada, adapter, callback: gateway.urlOf(adapter), close };
}

/** The same with the adapter started, all gone with the scope. */
export async function openCloudWorld(options: WorldOptions = {}) {
  const world = await makeCloudWorld(options);
  const host = new RecordingHost(30_000);
  await world.adapter.start(host);
  return { ...world, host, [Symbol.asyncDispose]: world.close };
}

export function conversation(personId: string): Conversation {
  return {
    accountId,
    platform: "whatsapp",
    conversationId: brandAs<ConversationId>(personId),
    kind: "direct",
  };
}

export function message(personId: string, markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return messageTo(conversation(personId), markdown, more);
}

export async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
  const error = await work.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (isGatewayError(error)) return error;
  throw error;
}
