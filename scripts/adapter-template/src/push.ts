import type { LoopbackClient } from "./client.ts";
import type { Intake } from "./intake.ts";

export interface PushDeps {
  readonly client: LoopbackClient;
  readonly intake: Intake;
}

/**
 * For a platform that sends updates over a connection that stays open, such as Discord, Slack or IRC. What comes while the
 * host is busy waits here, in order; nothing is read ahead of it. One connection: ends by throwing when it does, or when
 * `signal` is aborted.
 */
export async function push({ client, intake }: PushDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  const connection = await client.open(signal);
  try {
    intake.begin(connection.selfId);
    connected();
    for await (const update of connection.updates) {
      await intake.accept(update, signal);
      // A platform that repeats what it was not told to have arrived is told here, and nowhere before.
      connection.acknowledge?.(update.updateId);
    }
  } finally {
    connection.close();
  }
}
