export { query } from "./database.ts";
export type { PostgresError, PostgresProblem } from "./errors.ts";
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./start.ts";
export { createTestDatabase, stopTestPostgres } from "./test-server.ts";
