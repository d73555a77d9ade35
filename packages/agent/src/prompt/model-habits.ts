type Habit = "announces" | "guesses" | "narrates";

const remedies: Readonly<Record<Habit, string>> = {
  announces:
    '- Every answer either makes calls or is the final result. "I will check" without the call is neither: make the call.',
  guesses:
    "- Use tools, not your head, for sums, dates, counts and the contents of files. If a search brings little, widen or reword it. " +
    "Copy names, ids and commands exactly.",
  narrates:
    "- No comments on your steps, no praise, no repeating what people just wrote, no offers at the end. Do what was asked, and no " +
    "more than it needs.",
};

/**
 * What families of models are known for, by a part of their names. Which of them end a turn with an announcement, and which compute
 * in their heads and stop at the first search, is what the traces behind Hermes Agent's prompt found (its `agent/prompt_builder.py`,
 * 2026: the lists for tool use and for execution); Claude did neither.
 */
const families: readonly (readonly [name: RegExp, habits: readonly Habit[]])[] = [
  [/claude/, ["narrates"]],
  [/gemini|gemma/, ["announces", "narrates"]],
  [/gpt|codex|(?:^|\/)o\d/, ["announces", "guesses"]],
  [/grok|glm|qwen|deepseek|kimi|minimax|mimo|mistral|muse/, ["announces", "guesses"]],
];

/** A name that tells nothing, such as that of a deployment. */
const unknown: readonly Habit[] = ["announces"];

/** Further rules for this model, one line each. */
export function modelHabits(model: string): readonly string[] {
  const name = model.toLowerCase();
  const [, habits] = families.find(([family]) => family.test(name)) ?? [undefined, unknown];
  return habits.map((habit) => remedies[habit]);
}
