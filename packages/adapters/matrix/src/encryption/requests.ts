import type { OlmMachine } from "@matrix-org/matrix-sdk-crypto-wasm";
import { GatewayError } from "@talaria/protocol";
import { type MatrixClient, type MatrixRequest, path } from "../client.ts";

export type Library = typeof import("@matrix-org/matrix-sdk-crypto-wasm");

/** A request that the crypto library wants sent to the homeserver. */
export interface OwedRequest {
  readonly id?: string | undefined;
  readonly type: number;
  readonly body: string;
}

/** Sends it and hands the answer to the library. Throws GatewayError; the library then asks for it again later. */
export async function carryOut(
  { library, machine, client }: { library: Library; machine: OlmMachine; client: MatrixClient },
  request: OwedRequest,
  signal: AbortSignal,
): Promise<void> {
  const answer = await client.call({ ...addressOf(library, request), body: JSON.parse(request.body) }, signal);
  if (request.id !== undefined) await machine.markRequestAsSent(request.id, request.type, JSON.stringify(answer));
}

function addressOf(library: Library, request: OwedRequest): Omit<MatrixRequest, "body"> {
  const { RequestType: kind } = library;
  switch (request.type) {
    case kind.KeysUpload:
      return { method: "POST", path: "/client/v3/keys/upload" };
    case kind.KeysQuery:
      return { method: "POST", path: "/client/v3/keys/query" };
    case kind.KeysClaim:
      return { method: "POST", path: "/client/v3/keys/claim" };
    case kind.SignatureUpload:
      return { method: "POST", path: "/client/v3/keys/signatures/upload" };
    case kind.ToDevice: {
      const { event_type: type, txn_id: transaction } = request as OwedRequest &
        Record<"event_type" | "txn_id", string>;
      return { method: "PUT", path: path`/client/v3/sendToDevice/${type}/${transaction}` };
    }
    case kind.RoomMessage: {
      const message = request as OwedRequest & Record<"room_id" | "event_type" | "txn_id", string>;
      const where = path`/client/v3/rooms/${message.room_id}/send/${message.event_type}/${message.txn_id}`;
      return { method: "PUT", path: where };
    }
    case kind.KeysBackup: {
      const { version } = request as OwedRequest & Record<"version", string>;
      return { method: "PUT", path: "/client/v3/room_keys/keys", query: { version } };
    }
    default:
      throw new GatewayError("the crypto library asks for something unknown", { code: "internal" });
  }
}
