import type { TalariaConfig } from "@talaria/config";

const most = 3;

/** The three things to do next, in their order, as lines. Commands stand in backticks. */
export function nextThings({
  config,
  isRunning,
  hasOwner,
  added = config.agent.model,
}: {
  readonly config: Pick<TalariaConfig, "agent" | "models" | "accounts">;
  readonly isRunning: boolean;
  /** Somebody on a platform is. */
  readonly hasOwner: boolean;
  /** The model that was just set up. */
  readonly added?: string | undefined;
}): readonly string[] {
  const isDemo = config.models[config.agent.model]?.provider === "demo";
  const lines = [
    ...(isDemo ? ["Give the agent a model: `talaria setup model`"] : []),
    ...(added === config.agent.model ? [] : [`Have the agent use it: \`talaria model use ${added}\``]),
    ...(isRunning ? [] : ["Start it: `npm start`"]),
    ...(Object.keys(config.accounts).length === 0
      ? ["Let people write to it: `talaria setup telegram`, or another platform"]
      : []),
    ...(hasOwner ? ["As its owner, write `/sethome` to it in private: it asks and warns you there"] : []),
    "Talk to it in a browser: `talaria open` prints the address",
    "See that all is well: `talaria status`, and `talaria why` when somebody gets no answer",
    "Try the model at any time: `talaria model test`",
  ];
  return ["Next:", ...lines.slice(0, most).map((line, n) => `  ${n + 1}. ${line}`)];
}
