import type { LoopbackClient } from "./client.ts";
import type { Intake } from "./intake.ts";

export interface PullDeps {
  readonly client: LoopbackClient;
  readonly intake: Intake;
}

/**
 * For a platform that is asked for updates and keeps them until they are acknowledged, such as Telegram, Matrix or a mailbox.
 * One connection: ends by throwing when it does, or when `signal` is aborted.
 */
export async function pull({ client, intake }: PullDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  intake.begin(await client.identify(signal));
  connected();
  while (!signal.aborted) {
    for (const update of await client.receive(signal)) {
      await intake.accept(update, signal);
      await client.acknowledge(update.updateId, signal);
    }
  }
}
