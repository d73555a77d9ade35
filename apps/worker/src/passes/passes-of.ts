import type { ModelDeps } from "@talaria/models";
import type { ProcessId } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { createToolsets } from "@talaria/tools";
import { commandReach } from "../command-reach.ts";
import { createModelPort } from "../create-model-port.ts";
import type { ModelTroubles } from "../model-troubles.ts";
import type { ToolSettings } from "../tool-sources.ts";
import { type Passes, type PassesOptions, startPasses } from "./start-passes.ts";

export interface PassesOfOptions extends Pick<ToolSettings, "config" | "clock" | "random" | "log"> {
  readonly workerId: ProcessId;
  readonly store: Pick<Store, "passes" | "facts">;
  readonly metrics: PassesOptions["metrics"];
}

/** Undefined where the configuration wants none. */
export function passesOf(
  { config, store, ...options }: PassesOfOptions,
  modelDeps: ModelDeps & { readonly random: () => number; readonly troubles: ModelTroubles },
): Passes | undefined {
  const { enabled, pass } = config.memory;
  if (!enabled || pass === undefined) return undefined;
  const commands = commandReach(config.sandbox);
  // What tools of others bring is never taken for the agent's own.
  const own = createToolsets({ workspace: false, facts: true })({
    conversation: { kind: "direct", platform: "loopback" },
    role: "owner",
  });
  return startPasses({
    ...options,
    passes: store.passes,
    facts: store.facts,
    model: createModelPort(config, modelDeps, pass.model),
    perDay: pass.perDay,
    spending: config.limits.spending,
    tools: new Map(own.map((tool) => [tool.name, tool])),
    ...(commands && { commands }),
  });
}
