import { GatewayError } from "@talaria/protocol";
import type { Connections, QueueDeps } from "../connections.ts";
import { within } from "../deadline.ts";
import { addressOf, backendFailure } from "../failures.ts";
import { createOutageLog } from "../outage-log.ts";
import type { Rests } from "../ports.ts";
import { openLink } from "./link.ts";
import { createPostgresRests } from "./rests.ts";
import { connectionSettings } from "./settings.ts";
import { createPostgresTransport } from "./transport.ts";
import { createWakeTable } from "./wake-table.ts";
import { createWakeWorker } from "./wake-worker.ts";

const readyMs = 10_000;

/** Everything travels over one connection: each statement takes a fraction of a millisecond. */
export async function connectPostgres(url: string, deps: QueueDeps): Promise<Connections> {
  const { processId, role, random, clock, log } = deps;
  const report = createOutageLog(log, clock);
  const settings = connectionSettings(url, `talaria queue ${role} ${processId}`);
  const opening = openLink({ settings, random, clock, report });
  const link = await within(opening, readyMs, clock, "postgres did not become ready in time").catch((error) => {
    void opening.then((late) => late.close()).catch(() => undefined);
    throw backendFailure(error, "postgres", url);
  });
  const table = createWakeTable(link, clock);
  let rests: Rests | undefined;
  try {
    if (!(await table.exists())) {
      const message = `postgres at ${addressOf(url)} has no queue tables yet: its migrations have not run`;
      throw new GatewayError(message, { code: "unavailable" });
    }
    if (role === "worker") rests = await createPostgresRests({ link, clock, report });
  } catch (error) {
    await link.close();
    throw backendFailure(error, "postgres", url);
  }
  return {
    sendWakes: table.send,
    createWorker: (run, concurrency) => createWakeWorker({ table, clock, random, report }, run, concurrency),
    ...(rests === undefined ? {} : { rests }),
    transport: createPostgresTransport({ link, clock }),
    async ping() {
      await link.query({ text: "select 1" });
    },
    close: link.close,
    destroy: link.destroy,
  };
}
