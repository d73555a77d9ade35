import type { ToolSpec } from "@talaria/agent";
import { modelHabits } from "../../packages/agent/src/prompt/model-habits.ts";
import { countTokens } from "./count-tokens.ts";
import { type FirstTurn, firstTurn, type Scene, scenes } from "./first-turn.ts";

/** One name of each kind that the prompt tells apart. */
const models = ["gpt-5.6", "claude-opus-5", "gemini-3-pro", "my-deployment"];
/** The one whose prompt is the longest. */
const [shownModel = ""] = models;

/** The whole of `docs/building/prompts.md`. */
export async function promptsPage(): Promise<string> {
  const turns = await Promise.all(scenes.map(async (scene) => ({ scene, turn: await firstTurn(scene, shownModel) })));
  const tools = new Map(
    turns.flatMap(({ turn }) => [...turn.specs, ...turn.found].map((spec) => [spec.name, spec] as const)),
  );
  const sections = [
    opening,
    table(turns),
    costs(turns),
    ...turns.map(({ scene, turn }) => sectionOf(scene, turn)),
    habits(),
    ["## Tools", ...[...tools.values()].map(toolText)].join("\n\n"),
  ];
  return `${sections.join("\n\n")}\n`;
}

const opening = `# Prompts

What a model reads with the first message of a conversation on Telegram: default configuration, a sandbox that works, Debian 12. Written by
\`scripts/print-prompts.ts\` with the code that makes requests, so nothing here is written by hand; a test compares. A prompt stays as it is until
its conversation is begun anew.`;

function table(turns: readonly { readonly scene: Scene; readonly turn: FirstTurn }[]): string {
  const rows = turns.map(({ scene, turn: { tokens, specs } }) => {
    const all = tokens.system + tokens.tools + tokens.message;
    return `| ${scene.title} | ${tokens.system} | ${tokens.tools} for ${specs.length} | ${tokens.message} | ${all} |`;
  });
  return [
    "Tokens of the encoding o200k; tools as the dialect `openai-chat` sends them. Other tokenizers differ by some percent.",
    "",
    "| who writes where | prompt | tools | message | together |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** What each section and each tool takes of the longest prompt, that of an owner in private. */
function costs([longest]: readonly { readonly turn: FirstTurn }[]): string {
  const { system = "", specs = [], found = [] } = longest?.turn ?? {};
  const sections = system.split(/\n\n(?=# )/).map((text) => [titleOf(text), countTokens(text)] as const);
  const takes = (list: readonly ToolSpec[]) =>
    list
      .map((spec) => [`\`${spec.name}\``, tokensOfTool(spec)] as const)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, tokens]) => `${name} ${tokens}`)
      .join(", ");
  return [
    "What an owner's first request in private consists of:",
    "",
    "| part | tokens |",
    "| --- | --- |",
    ...sections.map(([title, tokens]) => `| ${title} | ${tokens} |`),
    `| tools in the request | ${takes(specs)} |`,
    `| tools that \`find_tools\` finds, not in the request | ${takes(found)} |`,
  ].join("\n");
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? "who the agent is";
}

function tokensOfTool(spec: ToolSpec): number {
  return countTokens(JSON.stringify({ type: "function", function: spec }));
}

function sectionOf({ title }: Scene, { system, message, specs, found }: FirstTurn): string {
  const named = (list: readonly ToolSpec[]) => list.map(({ name }) => `\`${name}\``).join(", ");
  const others = found.length === 0 ? "" : ` Found by \`find_tools\`: ${named(found)}.`;
  return `## ${title}\n\n${block("text", system)}\n\nThe first message:\n\n${block("text", message)}\n\nTools: ${named(specs)}.${others}`;
}

function habits(): string {
  const texts = models.map((model) => {
    const lines = modelHabits(model);
    return `\`${model}\`, ${countTokens(lines.join("\n"))} tokens:\n\n${block("text", lines.join("\n"))}`;
  });
  return [
    "## What models are told besides",
    'The last lines of "How you work", by the name of the model.',
    ...texts,
  ].join("\n\n");
}

function toolText(spec: ToolSpec): string {
  const { name, description, parameters } = spec;
  return `### ${name}\n\n${tokensOfTool(spec)} tokens.\n\n${block("text", description)}\n\n${block("json", JSON.stringify(parameters))}`;
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
