import { createMcpHandler } from "@modelcontextprotocol/server";
import { httpPeer } from "./testing/http-peer.ts";
import { modernPeer } from "./testing/modern-peer.ts";

export interface BookingServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server over HTTP whose tool `book` asks for whom. */
export async function startBookingServer(): Promise<BookingServer> {
  const handler = createMcpHandler(() => modernPeer());
  return await httpPeer((request) => handler.fetch(request));
}
