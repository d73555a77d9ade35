import { type KeyFile, keyPlaces, type TalariaConfig } from "@talaria/config";
import { createModel, type ModelConfig, proveModel, readServerTime, UnprovenModel } from "@talaria/models";
import { silentLog, systemClock } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { unprovenWords } from "../model/unproven-words.ts";
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
  modelKeyFiles: Readonly<Record<string, readonly KeyFile[]>> = {},
): Promise<readonly Finding[]> {
  const entry = models[agent.model];
  if (entry === undefined) return [problem(`models.${agent.model} is not configured`, "talaria setup model")];
  if (entry.provider === "demo") {
    const line = "no model is configured, the offline demo model answers";
    return [{ check: "model", state: "warning", line, remedy: "talaria setup model" }];
  }
  const config = entry as Exclude<ModelConfig, { readonly provider: "demo" }>;
  const keyFiles = modelKeyFiles[agent.model] ?? [];
  return [await proven({ name: agent.model, config, logins, keyFiles }), ...(await clockOf(config))];
}

interface Asked {
  readonly name: string;
  readonly config: Exclude<ModelConfig, { readonly provider: "demo" }>;
  readonly logins: Store["modelLogins"] | undefined;
  readonly keyFiles: readonly KeyFile[];
}

async function proven(asked: Asked): Promise<Finding> {
  const { name, config, logins } = asked;
  const model = createModel(config, { clock: systemClock, log: silentLog, ...(logins && { logins }) });
  try {
    const { servedBy } = await proveModel(model, AbortSignal.timeout(proofMs));
    return { check: "model", state: "ok", line: `${name}: ${servedBy} called a tool and answered` };
  } catch (error) {
    return failed(error, asked);
  }
}

/** What no new entry mends: the words of `talaria model test` say what does. */
const notOfEntry = new Set<UnprovenModel["why"]>([
  "quota",
  "rate_limit",
  "overloaded",
  "server_error",
  "network",
  "truncated",
  "stalled",
]);

function failed(error: unknown, { name, config, keyFiles }: Asked): Finding {
  const line = `${name}: ${error instanceof Error ? error.message : String(error)}`;
  if (config.provider === "chatgpt") return problem(line, `talaria model login ${name}`);
  const setup = problem(line, `talaria setup model --name ${name}`);
  if (!(error instanceof UnprovenModel)) return setup;
  const ofEntry = { check: "model", state: "problem" } as const;
  if (notOfEntry.has(error.why)) return { ...ofEntry, line: `${line}: ${unprovenWords(error)[1]}` };
  const places = keyPlaces(keyFiles);
  if (error.why !== "auth" || places === undefined) return setup;
  const [only, ...others] = keyFiles;
  return only?.secret !== undefined && others.length === 0
    ? problem(line, `talaria secret set ${only.secret}`)
    : { ...ofEntry, line: `${line}: put a working key ${places}` };
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
