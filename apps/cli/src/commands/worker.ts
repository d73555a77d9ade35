import { setPriority } from "node:os";
import { startWorker } from "@talaria/app-worker";
import { openProcess } from "../process-context.ts";
import { serve } from "../serve.ts";

/** Workers may saturate every core; connections are served first all the same. */
const niceness = 5;

/** `talaria worker`: one worker of a fleet, or one of those that `talaria start` runs. */
export function worker(options: Record<string, string | boolean | undefined>): Promise<void> {
  return serve(async () => {
    setPriority(niceness);
    const context = await openProcess("worker", options);
    const { metrics, id } = context;
    try {
      const running = await startWorker({
        ...context,
        workerId: id,
        snapshot: () => metrics.exportSnapshot(),
      });
      return {
        stop: async () => {
          await running.stop();
          await context.close();
        },
      };
    } catch (error) {
      await context.close();
      throw error;
    }
  });
}
