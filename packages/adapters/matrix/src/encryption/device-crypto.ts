import type { OlmMachine } from "@matrix-org/matrix-sdk-crypto-wasm";
import { type Clock, GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import type { MatrixClient } from "../client.ts";
import type { MatrixConfig } from "../config.ts";
import type { Decryption, RoomCrypto, WireEvent } from "../crypto.ts";
import type { Room } from "../rooms.ts";
import type { Content, RoomEvent, StateEvent, SyncAnswer } from "../wire.ts";
import { Backup } from "./backup.ts";
import { crossSign } from "./cross-signing.ts";
import { deleteDatabases, dumpDatabases } from "./databases.ts";
import { decrypted } from "./decrypt.ts";
import type { IndexedDb } from "./indexed-db.ts";
import { carryOut, type Library } from "./requests.ts";
import type { SecretStorage } from "./secret-storage.ts";
import type { Snapshot } from "./snapshot.ts";

export interface DeviceCryptoDeps {
  readonly library: Library;
  readonly machine: OlmMachine;
  readonly client: MatrixClient;
  readonly snapshot: Snapshot;
  readonly indexedDb: IndexedDb;
  /** Prefix of the names of this machine's databases. */
  readonly prefix: string;
  readonly trust: MatrixConfig["trust"];
  readonly log: Log;
  readonly clock: Clock;
  readonly password: MatrixConfig["password"];
  readonly isTrial: boolean;
}

/** The encryption a room uses that we can take part in. */
const algorithm = "m.megolm.v1.aes-sha2";

/**
 * The keys of one device. Whatever others come to rely on is stored before they see it: the public halves of our keys, the
 * room keys we share, and each step of the ratchet. So no crash can make us use a step twice.
 */
export class DeviceCrypto implements RoomCrypto {
  readonly #deps: DeviceCryptoDeps;
  readonly #encryptedRooms = new Set<string>();
  #backup: Backup | undefined;
  #isChanged = true;
  /** Steps that change keys run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: DeviceCryptoDeps) {
    this.#deps = deps;
  }

  /** Publishes the keys of this device and signs them with the account's keys. Called once, before anything else. */
  prepare(secrets: SecretStorage | undefined, signal: AbortSignal): Promise<void> {
    return this.#alone(async () => {
      const { library, machine } = this.#deps;
      await machine.updateTrackedUsers([new library.UserId(machine.userId.toString())]);
      await this.#payOwed(signal);
      const save = () => {
        this.#isChanged = true;
        return this.#save();
      };
      await crossSign({ ...this.#deps, save }, secrets, signal);
      this.#backup = secrets && (await Backup.open(this.#deps, secrets, signal));
      await save();
    });
  }

  receive(answer: SyncAnswer, signal: AbortSignal): Promise<void> {
    return this.#alone(async () => {
      signal.throwIfAborted();
      const { library, machine } = this.#deps;
      const { to_device, device_lists: lists, device_one_time_keys_count: counts } = answer;
      const fallback = answer.device_unused_fallback_key_types;
      const users = (ids: readonly string[]) => ids.map((id) => new library.UserId(id));
      await machine.receiveSyncChanges(
        JSON.stringify(to_device.events),
        new library.DeviceLists(users(lists.changed), users(lists.left)),
        new Map(Object.entries(counts)),
        fallback && new Set(fallback),
        new library.DecryptionSettings(library.TrustRequirement.Untrusted),
      );
      if (to_device.events.length + lists.changed.length + lists.left.length > 0) this.#isChanged = true;
    });
  }

  async learn(roomId: string, { type, state_key, content }: StateEvent): Promise<void> {
    if (type !== EventType.RoomEncryption || state_key !== "" || this.#encryptedRooms.has(roomId)) return;
    await this.#markEncrypted(roomId, content);
  }

  async isEncrypted(roomId: string): Promise<boolean> {
    const { library, machine } = this.#deps;
    if (this.#encryptedRooms.has(roomId)) return true;
    const settings = await machine.getRoomSettings(new library.RoomId(roomId));
    if (settings !== undefined) this.#encryptedRooms.add(roomId);
    return settings !== undefined;
  }

  async decrypt(roomId: string, event: RoomEvent, signal: AbortSignal): Promise<Decryption> {
    const first = await decrypted(this.#deps, roomId, event);
    const sessionId = event.content.session_id;
    if (first.kind !== "missing" || this.#backup === undefined || typeof sessionId !== "string") return first;
    if (!(await this.#backup.fetch(roomId, sessionId, this.#deps.clock.elapsed(), signal))) return first;
    this.#isChanged = true;
    return decrypted(this.#deps, roomId, event);
  }

  async toWire(room: Room, event: WireEvent, signal: AbortSignal): Promise<WireEvent> {
    if (!room.isEncrypted && !(await this.isEncrypted(room.roomId))) return event;
    return this.#alone(() => this.#encrypted(room, event, signal));
  }

  settle(signal: AbortSignal): Promise<void> {
    return this.#alone(async () => {
      await this.#payOwed(signal);
      await this.#save();
    });
  }

  close(): Promise<void> {
    return this.#alone(async () => {
      // What others rely on is stored already; the rest follows with the next sync.
      await this.#save().catch((error: unknown) => this.#deps.log.warn({ error }, "keys were not stored at the end"));
      this.#deps.machine.close();
      await deleteDatabases(this.#deps.indexedDb, this.#deps.prefix);
    });
  }

  async #encrypted(room: Room, { type, content }: WireEvent, signal: AbortSignal): Promise<WireEvent> {
    const { library, machine } = this.#deps;
    const roomId = () => new library.RoomId(room.roomId);
    // The library consumes the ids it is given.
    const users = () => [...room.members.keys()].map((id) => new library.UserId(id));
    if (!this.#encryptedRooms.has(room.roomId)) await this.#markEncrypted(room.roomId, { algorithm });
    await machine.updateTrackedUsers(users());
    await this.#payOwed(signal);
    const claim = await machine.getMissingSessions(users());
    if (claim) await carryOut(this.#deps, claim, signal);
    this.#isChanged = true;
    const shares = await machine.shareRoomKey(roomId(), users(), new library.EncryptionSettings());
    await this.#save();
    for (const share of shares) await carryOut(this.#deps, share, signal);
    const ciphertext = await machine.encryptRoomEvent(roomId(), type, JSON.stringify(content));
    this.#isChanged = true;
    await this.#save();
    return { type: EventType.RoomMessageEncrypted, content: JSON.parse(ciphertext) as Content };
  }

  async #payOwed(signal: AbortSignal): Promise<void> {
    const { library, machine, log } = this.#deps;
    for (const request of await machine.outgoingRequests()) {
      if (request.type === library.RequestType.KeysUpload) {
        this.#isChanged = true;
        await this.#save();
      }
      try {
        await carryOut(this.#deps, request as Parameters<typeof carryOut>[1], signal);
        this.#isChanged = true;
      } catch (error) {
        if (!isGatewayError(error) || error.code !== "invalid_request") throw error;
        log.error({ error }, "the homeserver rejected keys of this device");
      }
    }
  }

  async #markEncrypted(roomId: string, content: Content): Promise<void> {
    const { library, machine, log } = this.#deps;
    this.#encryptedRooms.add(roomId);
    if (content.algorithm !== algorithm) {
      log.warn({ conversationId: roomId }, "a room is encrypted in a way that is not supported");
      return;
    }
    try {
      await machine.setRoomSettings(new library.RoomId(roomId), new library.RoomSettings());
      this.#isChanged = true;
    } catch {
      log.warn({ conversationId: roomId }, "an attempt to change a room's encryption was ignored");
    }
  }

  async #save(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      await this.#deps.snapshot.save(await dumpDatabases(this.#deps.indexedDb, this.#deps.prefix));
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run.catch((error: unknown) => {
      if (isGatewayError(error) || error instanceof DOMException) throw error;
      throw new GatewayError("the encryption failed unexpectedly", { code: "internal", effect: "none", cause: error });
    });
  }
}
