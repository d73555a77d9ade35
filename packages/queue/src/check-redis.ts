/**
 * Resolves when this Redis can carry the queue. Otherwise a GatewayError says what to change: the server is away,
 * refuses the login, is older than 6.2, is a replica, or may evict keys. The password is in no message.
 */
export async function checkRedis(url: string, signal: AbortSignal): Promise<void> {
  const { checkUntil } = await import("./redis/check-server.ts");
  await checkUntil(url, signal);
}
