/** What a chat gateway needs from PostgreSQL: durable commits, few processes, little memory. */
const settings: Readonly<Record<string, string>> = {
  max_connections: "100",
  shared_buffers: "32MB",
  huge_pages: "off",
  io_method: "sync",
  jit: "off",
  max_worker_processes: "1",
  max_parallel_workers: "0",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  max_logical_replication_workers: "0",
  max_replication_slots: "0",
  autovacuum_worker_slots: "1",
  autovacuum_max_workers: "1",
  wal_level: "minimal",
  max_wal_senders: "0",
  min_wal_size: "16MB",
  max_wal_size: "128MB",
  fsync: "on",
  synchronous_commit: "on",
  // Only commits that need not survive a crash wait for this writer. At its usual 200 ms it wakes five times a second, since
  // renewals of leases never let it rest.
  wal_writer_delay: "2s",
  full_page_writes: "on",
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  logging_collector: "on",
  log_directory: "log",
  log_filename: "postgres-%a.log",
  log_file_mode: "0600",
  log_rotation_age: "1d",
  log_rotation_size: "0",
  log_truncate_on_rotation: "on",
  log_line_prefix: "%m [%p] ",
};

/** Only for disposable test data: nothing survives a crash of the machine. */
export const testSettings: Readonly<Record<string, string>> = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

/** The text of `talaria.conf`, which `postgresql.conf` includes and every start rewrites. */
export function settingsFile(...overrides: readonly (Readonly<Record<string, string>> | undefined)[]): string {
  const all = Object.assign({}, settings, ...overrides);
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'`);
  return `# Written at every start. Put changes of your own into postgresql.auto.conf with ALTER SYSTEM.\n${lines.join("\n")}\n`;
}
