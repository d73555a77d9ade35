/** Connections of one process's store to PostgreSQL. */
export const maxConnections = { gateway: 5, worker: 6 };
/** Beside the connections of its store: one for the lease, one for the queue. */
const further = 2;
/** For `talaria status`, migrations and an operator's `psql`. */
const spare = 5;

/**
 * Checks that the database has enough connections for one gateway and this many workers. Throws a sentence that names the
 * key, the limit and the remedy. `most` is what the server allows.
 */
export function checkConnections(workers: number, most: number): void {
  const ofGateway = maxConnections.gateway + further;
  const ofWorker = maxConnections.worker + further;
  const need = ofGateway + workers * ofWorker + spare;
  if (need <= most) return;
  const fitting = Math.floor((most - ofGateway - spare) / ofWorker);
  throw new Error(
    `workers.processes: ${workers} workers need ${need} database connections and the server allows ${most}: ` +
      (fitting > 0 ? `set it to at most ${fitting}, or raise max_connections` : "raise the server's max_connections"),
  );
}
