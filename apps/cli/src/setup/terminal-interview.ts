import { autocomplete, confirm, isCancel, text as line, password } from "@clack/prompts";
import type { SetupQuestion } from "@talaria/adapter";
import { suggestName } from "@talaria/config";
import type { Choice, ChoiceOption, Interview } from "./interview.ts";

const mostShown = 12;
/** No server has a model of this name. */
const notListed = "\u0000";

/** Asks at a terminal, with lists to choose from. Loads its library, 11 MB. Escape is Ctrl-C. */
export class TerminalInterview implements Interview {
  readonly isInteractive = true;

  constructor() {
    process.on("SIGINT", cancelled);
  }

  async answer({ text, preset, secret }: SetupQuestion): Promise<string | undefined> {
    const isNeeded = preset === undefined;
    const validate = (typed: string | undefined) =>
      isNeeded && (typed ?? "").trim() === "" ? "It is needed: type it, or end with Ctrl-C." : undefined;
    const shown = typeof preset === "string" && preset !== "" ? ` [${preset}]` : "";
    const typed = secret
      ? await password({ message: text, validate })
      : await line({ message: `${text}${shown}`, validate });
    const answer = kept(typed ?? "").trim();
    if (answer !== "") return answer;
    if (typeof preset === "string") return preset || undefined;
    const made = preset?.();
    if (made !== undefined) process.stdout.write(`  made: ${made}\n`);
    return made;
  }

  async confirm(text: string, preset: "yes" | "no"): Promise<boolean> {
    return kept(await confirm({ message: text, initialValue: preset === "yes" }));
  }

  async choose(choice: Choice): Promise<string> {
    const { text, options, preset, isOpen = false } = choice;
    // The library shows hints of the chosen option alone.
    const numbered = options.map(({ value, label = value, hint }, n) => ({
      value,
      label: `${n + 1}  ${label}${hint === undefined ? "" : `   ${hint}`}`,
    }));
    const other = { value: notListed, label: "a name that is not listed" };
    const isListed = options.some(({ value }) => value === preset);
    const chosen = await autocomplete({
      message: text,
      options: isOpen ? [...numbered, other] : numbered,
      maxItems: mostShown,
      filter: (search, { value }) => value === notListed || isMeant(choice, search.trim(), value),
      ...(isListed && preset !== undefined && { initialValue: preset }),
    });
    const value = kept(chosen);
    return value === notListed ? ((await this.answer({ key: "name", text: "Its name" })) ?? "") : value;
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", cancelled);
  }
}

/** By the beginning of its number, a part of its name, another word for it, or nearly its name. */
function isMeant({ options, meant }: Choice, search: string, value: string): boolean {
  const position = options.findIndex((option) => option.value === value);
  const { label = value } = options[position] as ChoiceOption;
  if (/^\d+$/.test(search) && Number(search) >= 1 && Number(search) <= options.length)
    return String(position + 1).startsWith(search);
  if (`${value} ${label}`.toLowerCase().includes(search.toLowerCase())) return true;
  return meant?.(search) === value || (search.length > 2 && suggestName(search, [value]) !== undefined);
}

function kept<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) return cancelled();
  return answer as Exclude<T, symbol>;
}

function cancelled(): never {
  process.stdout.write("\ncancelled: nothing was written\n");
  process.exit(130);
}
