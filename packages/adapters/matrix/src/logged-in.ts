import type { AdapterDeps, AdapterHost } from "@talaria/adapter";
import { noteUnreadable } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import type { MatrixClient } from "./client.ts";
import type { MatrixConfig } from "./config.ts";
import { plainCrypto, type RoomCrypto } from "./crypto.ts";
import { Decrypter } from "./decrypter.ts";
import { Intake, type IntakeDeps } from "./intake.ts";
import { type Identity, identify } from "./login.ts";
import { OfferedChoices } from "./offered-choices.ts";
import { Originals } from "./originals.ts";
import { Receipts } from "./receipts.ts";
import { RoomWriter } from "./room-writer.ts";
import { Rooms } from "./rooms.ts";
import { SyncIntake } from "./sync-intake.ts";
import { UndecryptedEvents } from "./undecrypted.ts";
import type { RoomEvent } from "./wire.ts";

/** A logged-in account with everything that works on it. */
export interface LoggedIn {
  readonly client: MatrixClient;
  readonly intake: SyncIntake;
  readonly writer: RoomWriter;
  /** Waits for what is under way and stores the keys. The signal that the account was opened with has been aborted. */
  close(): Promise<void>;
}

/** Logs in and opens the encryption. Throws `unauthorized` and `invalid_request` for what an operator must fix. */
export async function logIn(
  config: MatrixConfig,
  deps: AdapterDeps,
  { host, client: stranger }: { readonly host: AdapterHost; readonly client: MatrixClient },
  signal: AbortSignal,
): Promise<LoggedIn> {
  const { id: accountId, clock, log, store, media, catchUpMs } = deps;
  const identity = await identify(config, { client: stranger, store, log }, signal);
  const { client, userId: selfId } = identity;
  const undecrypted = await UndecryptedEvents.load(store, clock, log);
  const crypto = config.encryption ? await openCrypto(config, deps, identity, signal) : plainCrypto;
  const rooms = new Rooms(client);
  const decrypt = async (roomId: string, event: RoomEvent) => {
    const decryption =
      event.type === EventType.RoomMessageEncrypted ? await crypto.decrypt(roomId, event, signal) : undefined;
    return decryption?.kind === "read" ? decryption.event : event;
  };
  const originals = new Originals(client, selfId, decrypt);
  // Reactions are never encrypted, so in an encrypted room the homeserver could make one up.
  const believes = async (roomId: string) => config.trust === "any" || !(await crypto.isEncrypted(roomId));
  const offered = new OfferedChoices({ client, clock, log, selfId, decrypt, believes, signal });
  const commands = new Set(deps.commands.map(({ name }) => name));
  const unreadable: IntakeDeps["unreadable"] = (kind, facts) => noteUnreadable(deps, kind, facts);
  const isAway = (during: AbortSignal) => answersNothing(client, during);
  const questions = { rooms, originals, offered, isAway };
  const intake = new Intake({ accountId, host, clock, log, ...questions, selfId, commands, unreadable });
  const decrypter = new Decrypter({ crypto, intake, undecrypted, log, selfId });
  const receipts = config.readReceipts ? new Receipts(client, log, signal) : undefined;
  const invites = { client, log, policy: config.invites, selfId };
  const syncIntake = new SyncIntake({
    client,
    clock,
    log,
    rooms,
    decrypter,
    intake,
    crypto,
    receipts,
    invites,
    selfId,
    catchUpMs,
    unreadable,
  });
  const canEncrypt = config.encryption;
  const writer = new RoomWriter({ client, media, clock, rooms, crypto, originals, offered, selfId, canEncrypt });
  return {
    client,
    intake: syncIntake,
    writer,
    close: async () => {
      await receipts?.close();
      await offered.close();
      await crypto.close();
    },
  };
}

/** Asks what costs the homeserver nothing. */
async function answersNothing(client: MatrixClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.call({ method: "GET", path: "/client/v3/account/whoami" }, signal);
    return false;
  } catch (error) {
    signal.throwIfAborted();
    return isGatewayError(error, "unavailable");
  }
}

/** The encryption is large: it is loaded only where it is used. */
async function openCrypto(
  config: MatrixConfig,
  deps: AdapterDeps,
  identity: Identity,
  signal: AbortSignal,
): Promise<RoomCrypto> {
  const encryption = await import("./encryption/open-crypto.ts");
  return encryption.openCrypto(config, deps, identity, signal);
}
