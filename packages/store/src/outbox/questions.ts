import {
  type Choice,
  choiceSchema,
  type DeliveryKey,
  grantScopes,
  instantOf,
  type MessageId,
  settlements,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import { groupDecisions } from "../ports/group-decision.ts";
import type { AskedOutcome, OutboxPart, ShownQuestion } from "../ports/outbox.ts";
import { standings } from "../ports/standing.ts";

interface Row {
  readonly parts: readonly OutboxPart[] | null;
  readonly choices: readonly Choice[] | null;
  readonly outcomes: unknown;
  readonly asked_since: boolean;
  readonly newest_closing: number | null;
}

const text = `
  select parts, body -> 'choices' as choices, shown_outcomes(delivery_key, body) as outcomes,
         exists (select from outbox where delivery_key = asked_since_key(shown)) as asked_since, (
           select max(id)::float8
             from outbox as closing
            where account_id = shown.account_id and conversation_id = shown.conversation_id and state = 'pending'
              and kind = 'closing' and closing.body ->> 'closes' = shown.delivery_key) as newest_closing
    from outbox as shown where delivery_key = $1`;

/** The buttons are below one part, the last of its text. */
export async function readQuestion(database: Database, deliveryKey: DeliveryKey): Promise<ShownQuestion | undefined> {
  const [row] = await database.query<Row>({ name: "shown_question", text, values: [deliveryKey] });
  const parts = (row?.parts ?? []).filter(({ markdown }) => markdown !== "");
  const part = parts.find(({ choices }) => choices !== undefined) ?? parts.at(-1);
  if (row === undefined || part?.messageId === undefined) return undefined;
  const { messageId, markdown } = part;
  return {
    ...{ messageId: messageId as MessageId, markdown },
    choices: read(z.array(choiceSchema), part.choices ?? []),
    outcomes: readOutcomes(row.outcomes),
    ...(row.asked_since ? { askedSince: true } : {}),
    ...(row.newest_closing === null ? {} : { newestClosing: row.newest_closing }),
  };
}

const instant = z.number().transform((ms) => instantOf(ms));

const outcomes = z.array(
  z.object({
    id: z.string(),
    settlement: z.enum(settlements).exactOptional(),
    by: z.string().exactOptional(),
    isTakenBack: z.literal(true).exactOptional(),
    isByRule: z.literal(true).exactOptional(),
    notDone: z.string().exactOptional(),
    choice: z.string().exactOptional(),
    scope: z.enum(grantScopes).exactOptional(),
    at: instant.exactOptional(),
    expiresAt: instant.exactOptional(),
    isLate: z.literal(true).exactOptional(),
    person: z.enum(standings).exactOptional(),
    group: z.enum(groupDecisions).exactOptional(),
  }),
);

export function readOutcomes(rows: unknown): readonly AskedOutcome[] {
  return read(outcomes, rows);
}
