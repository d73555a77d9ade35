/**
 * A configuration whose accounts have spending limits that no test reaches, unless it sets its own: tests write faster than people. They are
 * counted all the same, so that tests and benchmarks run what runs by default. They stand at the end: problems are shown with
 * their line.
 */
export function withRoom(given: string): string {
  if (!/^accounts:/m.test(given)) return given;
  // Trying a boundary costs seconds: tests that need one say so.
  const config = /^sandbox:/m.test(given) ? given : `${given}\nsandbox: { backend: off }\n`;
  if (/^limits:/m.test(config)) return config;
  const turnsPerMinute = 1_000_000;
  const tokensPerDay = 1_000_000_000_000;
  const each = `{ turnsPerMinute: ${turnsPerMinute}, tokensPerDay: ${tokensPerDay} }`;
  return `${config}
limits:
  spending:
    person: ${each}
    guest: ${each}
    conversation: { turnsPerMinute: ${turnsPerMinute} }
    account: { tokensPerDay: ${tokensPerDay} }
`;
}
