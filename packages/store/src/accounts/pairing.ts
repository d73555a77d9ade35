import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type AccountId, type EventId, instantOf, type UserId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { PairingRequest, PairingRow, PairingStore } from "../ports/accounts.ts";
import { isGroupAllowed } from "./groups.ts";

const codeCharacters = 8;
const validMs = 600_000;
/** Whoever was shown a code is told nothing more for so long. */
const noticeMs = 86_400_000;
const maxWaiting = 20;

interface RequestCall {
  readonly id: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly displayName: string;
  readonly eventId: EventId;
  /** Hexadecimal. */
  readonly codeHash: string;
  readonly validMs: number;
  readonly noticeMs: number;
  readonly maxWaiting: number;
}

const requestPairing = sqlLoneFunction<RequestCall, { readonly outcome: PairingRequest["outcome"] }>("request_pairing");

export function createPairingStore(database: Database): PairingStore {
  const ask = requestPairing(database);
  return {
    async isApproved(accountId, userId) {
      const rows = await database.query({
        name: "is_approved",
        text: "select 1 from pairing where account_id = $1 and user_id = $2 and state = 'approved'",
        values: [accountId, userId],
      });
      return rows.length > 0;
    },

    isGroupAllowed: (accountId, conversationId) => isGroupAllowed(database, accountId, conversationId),

    async request(accountId, { id: userId, displayName }, eventId): Promise<PairingRequest> {
      const code = createCode();
      const codeHash = hashOf(code).toString("hex");
      const id = randomUUID();
      const { outcome } = await ask({
        id,
        accountId,
        userId,
        displayName,
        eventId,
        codeHash,
        validMs,
        noticeMs,
        maxWaiting,
      });
      return outcome === "code" ? { outcome, code: `${code.slice(0, 4)}-${code.slice(4)}` } : { outcome };
    },

    async approve(codeOrId) {
      const [row] = await database.query<Row>({
        text: `update pairing set state = 'approved', code_hash = null, expires_at = null
                where state = 'waiting' and (id = $2 or (code_hash = $1 and expires_at > clock_timestamp()))
               returning *`,
        values: [hashOf(normalise(codeOrId)), codeOrId],
      });
      return row && toPairing(row);
    },

    async revoke(id) {
      const [row] = await database.query<Row>({
        text: "delete from pairing where id = $1 returning *, stop_person(account_id, user_id)",
        values: [id],
      });
      return row && toPairing(row);
    },

    async list() {
      const rows = await database.query<Row>({
        text: `select * from pairing
                where state = 'approved' or created_at > clock_timestamp() - $1::bigint * interval '1 millisecond'
                order by created_at, id`,
        values: [noticeMs],
      });
      return rows.map(toPairing);
    },
  };
}

/** Crockford's alphabet has no I, L, O and U; 256 is a multiple of 32, so every character is equally likely. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function createCode(): string {
  return Array.from(randomBytes(codeCharacters), (byte) => alphabet[byte % alphabet.length]).join("");
}

/** As people type it: small letters, dashes and spaces, O for zero, I and L for one. */
function normalise(code: string): string {
  return code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
}

function hashOf(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}

interface Row {
  readonly id: string;
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly display_name: string;
  readonly state: PairingRow["state"];
  readonly created_at: Date;
}

function toPairing(row: Row): PairingRow {
  return {
    id: row.id,
    accountId: row.account_id,
    userId: row.user_id,
    displayName: row.display_name,
    state: row.state,
    createdAt: instantOf(row.created_at.getTime()),
  };
}
