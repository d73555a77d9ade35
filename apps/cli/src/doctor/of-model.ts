import type { TalariaConfig } from "@talaria/config";
import { createModel, type ModelConfig, proveModel, readServerTime } from "@talaria/models";
import { silentLog, systemClock } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import type { Finding } from "./finding.ts";
import { clockFinding } from "./of-clock.ts";

const proofMs = 120_000;
const timeMs = 10_000;

/**
 * Has the agent's model call a tool and answer: two small requests, which cost what such answers cost. A model that is asked with somebody's
 * login needs `logins`. Then compares this machine's clock with its server's.
 */
export async function ofModel(
  { agent, models }: Pick<TalariaConfig, "agent" | "models">,
  logins: Store["modelLogins"] | undefined,
): Promise<readonly Finding[]> {
  const entry = models[agent.model];
  if (entry === undefined) return [problem(`models.${agent.model} is not configured`, "talaria setup model")];
  if (entry.provider === "demo") {
    const line = "no model is configured, the offline demo model answers";
    return [{ check: "model", state: "warning", line, remedy: "talaria setup model" }];
  }
  const config = entry as Exclude<ModelConfig, { readonly provider: "demo" }>;
  return [await proven(agent.model, config, logins), ...(await clockOf(config))];
}

async function proven(name: string, config: ModelConfig, logins: Store["modelLogins"] | undefined): Promise<Finding> {
  const model = createModel(config, { clock: systemClock, log: silentLog, ...(logins && { logins }) });
  try {
    const { servedBy } = await proveModel(model, AbortSignal.timeout(proofMs));
    return { check: "model", state: "ok", line: `${name}: ${servedBy} called a tool and answered` };
  } catch (error) {
    const remedy = config.provider === "chatgpt" ? `talaria model login ${name}` : `talaria setup model --name ${name}`;
    return problem(`${name}: ${error instanceof Error ? error.message : String(error)}`, remedy);
  }
}

/** Nothing where the server can't be asked, or says no time. */
async function clockOf(config: Exclude<ModelConfig, { readonly provider: "demo" }>): Promise<readonly Finding[]> {
  const began = Date.now();
  const there = await readServerTime(config, AbortSignal.timeout(timeMs)).catch(() => undefined);
  if (there === undefined) return [];
  return [clockFinding("the model's server", there.getTime(), { began, ended: Date.now(), precisionMs: 1_000 })];
}

function problem(line: string, remedy: string): Finding {
  return { check: "model", state: "problem", line, remedy };
}
