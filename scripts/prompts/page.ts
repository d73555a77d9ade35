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
  const tools = new Map(turns.flatMap(({ turn }) => turn.specs.map((spec) => [spec.name, spec] as const)));
  const sections = [
    opening,
    table(turns),
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

function sectionOf({ title }: Scene, { system, message, specs }: FirstTurn): string {
  const names = specs.map(({ name }) => `\`${name}\``).join(", ");
  return `## ${title}\n\n${block("text", system)}\n\nThe first message:\n\n${block("text", message)}\n\nTools: ${names}.`;
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
  const tokens = countTokens(JSON.stringify({ type: "function", function: spec }));
  return `### ${name}\n\n${tokens} tokens.\n\n${block("text", description)}\n\n${block("json", JSON.stringify(parameters))}`;
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
