import { isGatewayError } from "@talaria/protocol";
import type { PersonAnswer, PersonQuestion } from "../ports.ts";
import { label } from "../untrusted.ts";
import { fieldAnswer } from "./field-answer.ts";
import type { FieldValue, FormField } from "./form-fields.ts";
import { type AskingTool, fieldText, introduction, mostButtons, nextOf, reviewText, shownValue } from "./form-text.ts";

/** Of one field, with what was wrong said each time. */
const mostTries = 4;
/** How often somebody may change what they have answered. */
const mostChanges = 3;
const longestSuggestion = 60;

/** As MCP 2025-11-25 names them, client/elicitation.mdx, "Response Actions". */
export type FormEnd =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, FieldValue>> }
  | { readonly action: "decline" | "cancel" };

export type Ask = (question: Omit<PersonQuestion, "withinMs">) => Promise<PersonAnswer>;

type Filled = Map<FormField, FieldValue>;
type Answered = FormEnd | { readonly action: "value"; readonly value?: FieldValue };

/** Asks a person for what a form wants, one field after the other, and shows them all of it before it is sent. */
export async function askForm(
  tool: AskingTool,
  message: string,
  fields: readonly FormField[],
  ask: Ask,
): Promise<FormEnd> {
  const filled: Filled = new Map();
  const begin = introduction(tool, message);
  for (let changes = 0; changes <= mostChanges; changes += 1) {
    for (const [index, field] of fields.entries()) {
      const above = index === 0 ? begin : nextOf(tool, index + 1, fields.length);
      const answer = await askField(field, above, filled.get(field) ?? field.suggested, ask);
      if (answer.action !== "value") return answer;
      if (answer.value === undefined) filled.delete(field);
      else filled.set(field, answer.value);
    }
    const end = await review(tool, fields, filled, begin, ask);
    if (end !== "change") return end;
  }
  return { action: "cancel" };
}

async function askField(
  field: FormField,
  above: string,
  suggested: FieldValue | undefined,
  ask: Ask,
): Promise<Answered> {
  const { suggested: _, ...rest } = field;
  const shown: FormField = suggested === undefined ? rest : { ...rest, suggested };
  let problem: string | undefined;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const choices = choicesOf(shown);
    const markdown = `${above}\n\n${fieldText(shown, problem)}`;
    const answer = await ask({ markdown, choices: choices.map((one) => one.label), takesWords: true });
    const ended = endOf(answer);
    if (ended !== undefined) return ended;
    const said = answer.status === "answered" ? answer.content : "";
    const chosen = choices.find((one) => one.label === said);
    if (chosen !== undefined) return chosen.means;
    try {
      return { action: "value", value: fieldAnswer(field, said) };
    } catch (error) {
      if (!isGatewayError(error, "invalid_request")) throw error;
      problem = error.message;
    }
  }
  return { action: "cancel" };
}

interface FieldChoice {
  readonly label: string;
  readonly means: Answered;
}

const ends: readonly FieldChoice[] = [
  { label: "Decline", means: { action: "decline" } },
  { label: "Cancel", means: { action: "cancel" } },
];

/** What is suggested goes first. */
function choicesOf(field: FormField): readonly FieldChoice[] {
  const skip: FieldChoice[] = field.isRequired ? [] : [{ label: "Leave out", means: { action: "value" } }];
  const { suggested } = field;
  if (isInWords(field)) {
    const shown = suggested === undefined ? "" : shownValue(field, suggested);
    const isShort = shown !== "" && shown.length <= longestSuggestion;
    const use: FieldChoice[] =
      suggested === undefined || !isShort
        ? []
        : [{ label: label(`Use: ${shown}`), means: { action: "value", value: suggested } }];
    return [...use, ...skip, ...ends];
  }
  const given = optionsOf(field).map(({ label: name, value }) => ({ name, value }));
  const first = given.filter(({ value }) => value === suggested);
  const options = [...first, ...given.filter(({ value }) => value !== suggested)];
  const others = [...skip, ...ends];
  return [...distinct(options, others), ...others];
}

function optionsOf(field: FormField): readonly { readonly label: string; readonly value: FieldValue }[] {
  if (field.kind === "choice") return field.options;
  return [
    { label: "Yes", value: true },
    { label: "No", value: false },
  ];
}

const longestLabel = 60;

/** Labels that say which one was meant, also where a server gives several the same, or one of ours. */
function distinct(
  options: readonly { readonly name: string; readonly value: FieldValue }[],
  others: readonly FieldChoice[],
): readonly FieldChoice[] {
  const taken = new Set(others.map((one) => one.label.toLowerCase()));
  return options.map(({ name, value }, index) => {
    const short = name.slice(0, longestLabel).trim();
    const isFree = !taken.has(short.toLowerCase()) && short !== "";
    const shown = isFree ? short : `${index + 1}. ${short}`.trim();
    taken.add(shown.toLowerCase());
    return { label: shown, means: { action: "value", value } };
  });
}

function isInWords(field: FormField): boolean {
  if (field.kind === "choice") return field.options.length > mostButtons;
  return field.kind !== "yesno";
}

/** Whoever chose the one thing that was asked has seen it. */
async function review(
  tool: AskingTool,
  fields: readonly FormField[],
  filled: Filled,
  begin: string,
  ask: Ask,
): Promise<FormEnd | "change"> {
  const all = fields.flatMap((field) => {
    const value = filled.get(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  const content = Object.fromEntries(all.map(([{ name }, value]) => [name, value]));
  const [only] = fields;
  if (fields.length === 1 && only !== undefined && !isInWords(only)) return { action: "accept", content };
  const shown = fields.length === 0 ? begin : reviewText(tool, all);
  const change = fields.length === 0 ? [] : ["Change"];
  const choices = ["Send", ...change, ...ends.map((one) => one.label)];
  for (let tries = 0; tries < mostTries; tries += 1) {
    const markdown = tries === 0 ? shown : `${shown}\n\nThat is none of: ${choices.join(", ")}.`;
    const answer = await ask({ markdown, choices, takesWords: true });
    const ended = endOf(answer);
    if (ended !== undefined) return ended;
    const said = answer.status === "answered" ? answer.content : "";
    if (said === "Send") return { action: "accept", content };
    if (said === "Change") return "change";
    const end = ends.find((one) => one.label === said)?.means;
    if (end !== undefined && end.action !== "value") return end;
  }
  return { action: "cancel" };
}

/** Nobody has chosen anything: "cancel"; where nobody can, the server need not ask again. */
function endOf({ status }: PersonAnswer): FormEnd | undefined {
  if (status === "answered") return undefined;
  return { action: status === "nobody" ? "decline" : "cancel" };
}
