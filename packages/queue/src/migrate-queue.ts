import type { QueueBackend } from "./ports.ts";

/** Creates or updates the queue's own tables; safe from many processes at once and to repeat. Redis needs none. */
export async function migrateQueue(backend: QueueBackend): Promise<void> {
  if (backend.kind === "redis") return;
  const { migratePostgres } = await import("./postgres/migrate.ts");
  await migratePostgres(backend.url);
}
