import { type Asker, type Conversation, instantOf, type Role, type TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { OperationsStore, TraceStep, WaitingQuestion } from "../ports/operations.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly waits_for: WaitingQuestion["waitsFor"];
  readonly approver: Role | null;
  readonly askers: readonly Asker[];
  readonly route: Conversation;
  readonly asked_at: Date;
  readonly expires_at: Date;
  readonly told: WaitingQuestion["told"];
  readonly all_of_them: number;
  readonly approvals: number;
}

const text = `
  select id, name, waits_for, approver, askers, route, asked_at, expires_at, all_of_them, approvals, (
           select coalesce(json_agg(json_build_object(
                    'accountId', outbox.account_id, 'conversationId', outbox.conversation_id,
                    'isSent', outbox.state = 'sent') order by outbox.id), '[]')
             from outbox
            where delivery_key >= 'ask:' || asked.turn_id || ':' and delivery_key < 'ask:' || asked.turn_id || ';'
              and exists (select from asked_calls(delivery_key, outbox.body) as one where one.id = asked.id)) as told
    from (select *, count(*) over ()::float8 as all_of_them,
                 count(*) filter (where waits_for = 'approval') over ()::float8 as approvals
            from open_call
           where settled_at is null and waits_for in ('approval', 'form')
           order by asked_at, id
           limit $1) as asked
   order by asked_at, id`;

export async function readQuestions(database: Database, limit: number): ReturnType<OperationsStore["questions"]> {
  const rows = await database.query<Row>({ name: "waiting_questions", text, values: [limit] });
  const questions = rows.map(({ id, name, waits_for, approver, askers, route, asked_at, expires_at, told }) => ({
    ...{ id, name, waitsFor: waits_for, askers, route, told },
    ...(approver === null ? {} : { approver }),
    askedAt: instantOf(asked_at.getTime()),
    expiresAt: instantOf(expires_at.getTime()),
  }));
  return { questions, all: rows[0]?.all_of_them ?? 0, approvals: rows[0]?.approvals ?? 0 };
}

interface AskedRow {
  readonly id: string;
  readonly call_id: string;
  readonly asked_at: Date;
  readonly settled_at: Date | null;
  readonly settlement: string | null;
  readonly by: string | null;
}

/** What calls of a turn have asked while they ran. What waits without a worker is in the journal. */
export async function readAskedSteps(database: Database, turnId: TurnId): Promise<readonly TraceStep[]> {
  const rows = await database.query<AskedRow>({
    text: `select id, call_id, asked_at, settled_at, settlement, settled_by ->> 'userId' as by
             from open_call
            where turn_id = $1 and waits_for = 'form' and held_by is not null
            order by asked_at`,
    values: [turnId],
  });
  return rows.flatMap(({ id, call_id: callId, asked_at, settled_at, settlement, by }) => [
    { at: instantOf(asked_at.getTime()), step: "waits", details: { kind: "question", id, callId } },
    ...(settled_at === null
      ? []
      : [{ at: instantOf(settled_at.getTime()), step: "settled", details: { id, settlement, ...(by && { by }) } }]),
  ]);
}
