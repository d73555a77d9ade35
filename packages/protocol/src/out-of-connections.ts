/** PostgreSQL, a role or a database has no connection left (postgresql.org/docs/current/errcodes-appendix.html), and what helps. */
export const outOfConnections = {
  sqlState: "53300",
  words:
    "takes no more connections: end some that other programs have, or raise its max_connections, or the limit of the role or database",
} as const;
