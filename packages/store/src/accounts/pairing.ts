import { randomUUID } from "node:crypto";
import {
  type AccountId,
  type Conversation,
  type EventId,
  instantOf,
  type SessionKey,
  spoken,
  type UserId,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import { recordCall } from "../inbox/record-call.ts";
import type { AccessRequest, PairingRequest, PairingRow, PairingStore } from "../ports/people.ts";
import type { AddedPerson, PersonDecision, Standing } from "../ports/standing.ts";
import { isGroupAllowed } from "./groups.ts";
import { codeHashOf, createCode } from "./pairing-code.ts";

const validMs = 600_000;
/** Whoever was shown a code, or is ignored, is told nothing more for so long. */
const noticeMs = 86_400_000;
const maxWaiting = 20;
/** About so many who wait owners are asked one by one; of further ones they are told so often. */
const maxAsked = 5;
const togetherMs = 3_600_000;
/** Of who waits so many messages are kept. */
const maxSaid = 8;
const mostListed = 5_000;
const seenMessages = 20_000;
const mostSeen = 1_000;
const mostSeenAs = 20;

interface RequestCall extends Pick<AccessRequest, "accountId" | "eventId" | "conversation" | "canAsk" | "unkept"> {
  readonly id: string;
  readonly userId: UserId;
  readonly displayName: string;
  readonly language?: string;
  /** Hexadecimal. */
  readonly codeHash: string;
  readonly validMs: number;
  readonly noticeMs: number;
  readonly maxWaiting: number;
  readonly maxAsked: number;
  readonly togetherMs: number;
  readonly maxSaid: number;
  readonly said?: ReturnType<typeof recordCall>;
}

type Given = Extract<PairingRequest, { readonly outcome: "code" }>;
type Answer = Exclude<PairingRequest, Given> | Pick<Given, "outcome" | "asks" | "waiting">;

const requestPairing = sqlLoneFunction<RequestCall, Answer>("request_pairing");
const decidePerson = sqlLoneFunction<PersonDecision, { readonly sessionKey: SessionKey | null } | null>(
  "decide_person",
);

const addPerson = sqlLoneFunction<AddedPerson, { readonly sessionKey: SessionKey | null } | null>("add_person");

const noteLanguage = sqlLoneFunction<
  { readonly accountId: AccountId; readonly userId: UserId; readonly language: string },
  null
>("note_language");

export function createPairingStore(database: Database): PairingStore {
  const ask = requestPairing(database);
  const decide = decidePerson(database);
  const add = addPerson(database);
  const note = noteLanguage(database);
  return {
    isApproved: async (accountId, userId) => (await standingOf(database, accountId, userId)) === "approved",

    standingOf: (accountId, userId) => standingOf(database, accountId, userId),

    isGroupAllowed: (accountId, conversationId) => isGroupAllowed(database, accountId, conversationId),

    async request({ person, said, ...request }): Promise<PairingRequest> {
      const code = createCode();
      const id = randomUUID();
      const answer = await ask({
        ...request,
        id,
        userId: person.id,
        displayName: person.displayName,
        ...spoken(person.language),
        codeHash: codeHashOf(code).toString("hex"),
        ...{ validMs, noticeMs, maxWaiting, maxAsked, togetherMs, maxSaid },
        ...(said === undefined ? {} : { said: letInCall(said) }),
      });
      return answer.outcome === "code" ? { ...answer, id, code: `${code.slice(0, 4)}-${code.slice(4)}` } : answer;
    },

    async find(codeOrId) {
      const [row] = await database.query<Row>({
        text: `select * from pairing
                where id = $2 or (state = 'waiting' and code_hash = $1 and expires_at > clock_timestamp())
                limit 1`,
        values: [codeHashOf(codeOrId), codeOrId],
      });
      return row && toPairing(row);
    },

    async findByEndedCode(code) {
      const [row] = await database.query<Row>({
        text: `select * from pairing
                where code_hash = $1
                  and (state <> 'waiting'
                       or expires_at <= clock_timestamp() and created_at > clock_timestamp() - $2::bigint * interval '1 millisecond')`,
        values: [codeHashOf(code), noticeMs],
      });
      return row && toPairing(row);
    },

    async decide(decision) {
      return wakeOf(await decide(decision));
    },

    async add(person) {
      return wakeOf(await add(person));
    },

    async noteLanguage(accountId, userId, language) {
      await note({ accountId, userId, language });
    },

    async languageOf(accountId, userId) {
      const [row] = await database.query<{ readonly language: string | null }>({
        name: "language_of",
        text: `select coalesce(
                 (select language from pairing where account_id = $1 and user_id = $2),
                 (select language from owner_place where account_id = $1 and user_id = $2)) as language`,
        values: [accountId, userId],
      });
      return spoken(row?.language).language;
    },

    async list() {
      const rows = await database.query<Row>({
        text: `select *
                 from (select * from pairing
                        where state <> 'waiting' or created_at > clock_timestamp() - $1::bigint * interval '1 millisecond'
                        order by state = 'waiting', created_at desc, id
                        limit $2) as newest
                order by created_at, id`,
        values: [noticeMs, mostListed],
      });
      return rows.map(toPairing);
    },

    async seen() {
      const rows = await database.query<SeenRow>({ text: seenText, values: [seenMessages, mostSeen] });
      return rows.map(({ account_id, user_id, display_name, handle, at }) => ({
        ...{ accountId: account_id, userId: user_id },
        ...{ displayName: display_name ?? "", at: instantOf(at.getTime()) },
        ...(handle === null ? {} : { username: handle }),
      }));
    },

    async seenAs(userId) {
      const values = [seenMessages, userId, mostSeenAs];
      const rows = await database.query<Omit<SeenRow, "user_id" | "handle" | "at">>({ text: seenAsText, values });
      return rows.map(({ account_id, display_name }) => ({ accountId: account_id, displayName: display_name ?? "" }));
    },
  };
}

async function standingOf(database: Database, accountId: AccountId, userId: UserId): Promise<Standing | undefined> {
  const [row] = await database.query<{ readonly state: Standing }>({
    name: "standing_of",
    text: "select state from pairing where account_id = $1 and user_id = $2",
    values: [accountId, userId],
  });
  return row?.state;
}

function wakeOf(decided: { readonly sessionKey: SessionKey | null } | null) {
  if (decided === null) return undefined;
  return decided.sessionKey === null ? {} : { sessionKey: decided.sessionKey };
}

interface SeenRow {
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly display_name: string | null;
  readonly handle: string | null;
  readonly at: Date;
}

const seenText = `
  select account_id, user_id, (array_agg(display_name order by at desc))[1] as display_name,
         (array_agg(handle order by at desc))[1] as handle, max(at) as at
    from (select account_id, body -> 'sender' ->> 'userId' as user_id, body -> 'sender' ->> 'displayName' as display_name,
                 body -> 'sender' ->> 'handle' as handle,
                 recorded_at as at
            from inbox
           where body -> 'sender' ->> 'role' = 'person' and body ->> 'type' <> 'call.settled'
           order by recorded_at desc
           limit $1) as newest
   where user_id is not null
   group by account_id, user_id
   order by max(at) desc
   limit $2`;

const seenAsText = `
  select account_id, (array_agg(display_name order by at desc) filter (where display_name is not null))[1] as display_name
    from (select account_id, body -> 'sender' ->> 'displayName' as display_name, recorded_at as at
            from (select account_id, body, recorded_at from inbox order by recorded_at desc limit $1) as newest
           where body -> 'sender' ->> 'userId' = $2 and body -> 'sender' ->> 'role' = 'person'
          union all
          select account_id, null, recorded_at from seen where outcome = 'refused' and sender_id = $2) as written
   group by account_id
   order by max(at) desc
   limit $3`;

/** The event was settled when it came; its words get an id of their own. */
function letInCall(said: NonNullable<AccessRequest["said"]>): ReturnType<typeof recordCall> {
  const id = `${said.event.id}~let-in` as EventId;
  return recordCall({ ...said, event: { ...said.event, id } });
}

interface Row {
  readonly id: string;
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly display_name: string;
  readonly state: PairingRow["state"];
  readonly created_at: Date;
  readonly decided_at: Date | null;
  readonly decided_by: { readonly displayName?: string } | null;
  readonly conversation: Conversation | null;
  readonly left_out: number;
  readonly language: string | null;
}

function toPairing(row: Row): PairingRow {
  const by = row.decided_by?.displayName;
  return {
    id: row.id,
    accountId: row.account_id,
    userId: row.user_id,
    displayName: row.display_name,
    state: row.state,
    createdAt: instantOf(row.created_at.getTime()),
    ...(row.decided_at === null ? {} : { decidedAt: instantOf(row.decided_at.getTime()) }),
    ...(by === undefined ? {} : { decidedBy: by }),
    ...(row.conversation === null ? {} : { conversation: row.conversation }),
    ...spoken(row.language),
    ...(row.left_out > 0 && row.state === "waiting" ? { leftOut: row.left_out } : {}),
  };
}
