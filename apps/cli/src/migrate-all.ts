import type { TalariaConfig } from "@talaria/config";
import { migrateQueue } from "@talaria/queue";
import { createRoles, type DatabaseRoles, grantToRoles, migrate } from "@talaria/store";
import { queueBackendOf } from "./backends.ts";
import { plainLog } from "./plain-log.ts";

/** Brings roles, tables, functions and grants up to date, and says how each kind of process reaches the database. */
export async function migrateAll(config: TalariaConfig, url: string): Promise<DatabaseRoles> {
  const roles = await createRoles(url);
  const { isNewer } = await migrate(roles.owner, plainLog);
  await migrateQueue(queueBackendOf(config, roles.owner));
  if (roles.isOwn && !isNewer) await grantToRoles(roles);
  return roles;
}
