/** As in `prune.ts`: at most $2 rows older than $1 days each. */
export const conversationStatements: readonly string[] = [
  `delete from receipt where ctid = any (array(
     select ctid from receipt where told_at < now() - $1::integer * interval '1 day' limit $2))`,
  // Nothing is limited for longer than an hour.
  `delete from told where ctid = any (array(
     select ctid from told where told_at < now() - least($1::integer, 1) * interval '1 day' limit $2))`,
  // What was overheard is of use for a day at most.
  `delete from overheard where ctid = any (array(
     select ctid from overheard where heard_at < now() - least($1::integer, 1) * interval '1 day' limit $2))`,
];
