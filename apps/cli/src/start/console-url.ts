/** Where the console is, at the port that the gateway really listens on: `gateway.port: 0` leaves the choice to the system. */
export function consoleUrlAt(consoleUrl: string, listening: string): string {
  const url = new URL(consoleUrl);
  url.port = new URL(listening).port;
  return url.href;
}
