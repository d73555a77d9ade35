import { GatewayError } from "@talaria/protocol";
import type pg from "pg";
import { schema } from "../database/connection-config.ts";
import type { Migration } from "./sql-source.ts";

/** A row of the table `migration`. What a newer release may have added to it is of no interest. */
export interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  /** Missing in databases from before the first release. */
  readonly readable_by?: number;
}

/** Nothing where there are no tables yet. Whole rows, since databases of other releases have other columns. */
export async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  const found = await client.query("select to_regclass($1) as found", [`${schema}.migration`]);
  if (found.rows[0].found === null) return [];
  return (await client.query("select * from migration order by version")).rows;
}

/**
 * Throws `unsupported` when this release cannot work with a database at these versions. One that a newer release has
 * migrated is fine as long as that one says so.
 */
export function refuseUnreadable(known: readonly Migration[], applied: readonly Applied[]): void {
  const newest = applied.at(-1)?.version ?? 0;
  const details = { databaseVersion: newest, codeVersion: known.length };
  if (applied.some((row) => row.readable_by === undefined)) {
    throw refusal(
      "The database was made by a version from before the first release, and its tables can't be upgraded: start with an empty database or data folder.",
      details,
    );
  }
  applied.slice(0, known.length).forEach(({ version, name, checksum }, index) => {
    if (version === index + 1 && known[index]?.checksum === checksum) return;
    throw refusal(`The database was migrated with another ${name} than this release has: use one release.`, details);
  });
  const readableBy = Math.max(0, ...applied.slice(known.length).map((row) => row.readable_by ?? newest));
  if (readableBy > known.length) {
    throw refusal(
      `The database is at version ${newest}, but this release knows versions up to ${known.length}: start the newer release that migrated it.`,
      details,
    );
  }
}

/** Throws `unsupported` when migrations are missing. */
export function refuseOutdated(known: readonly Migration[], applied: readonly Applied[]): void {
  if (applied.length >= known.length) return;
  throw refusal(
    `The database is at version ${applied.length}, but this release needs version ${known.length}: run \`talaria migrate\` first.`,
    { databaseVersion: applied.length, codeVersion: known.length },
  );
}

function refusal(message: string, details: Readonly<Record<string, number>>): GatewayError {
  return new GatewayError(message, { code: "unsupported", effect: "none", details });
}
