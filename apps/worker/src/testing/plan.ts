/** What a call does: `ask` and `look` need an approval, `form` and `begin` are answered from elsewhere; `write`, `ask` and `begin` change something. */
export type CallKind = "read" | "write" | "look" | "ask" | "form" | "begin";

export interface PlannedCall {
  readonly kind: CallKind;
  /** How it is settled if it waits; what is answered from elsewhere is answered or expires. */
  readonly fate: "approved" | "denied" | "expired";
  /** Rounds of the event loop that it takes, before and after its effect. */
  readonly lingers: number;
  /** What somebody does while a `read` runs for the first time. */
  readonly meanwhile?: Move | undefined;
}

/** What people do. `decide` settles the call that has waited longest, if any; `compact` asks for the conversation to be shortened. */
export type Move =
  | { readonly kind: "say"; readonly mode: "steer" | "queue" | "interrupt" }
  | { readonly kind: "decide" }
  | { readonly kind: "compact" }
  | { readonly kind: "stop" };

export interface PlannedAnswer {
  /** Without any, the answer ends its turn. */
  readonly calls: readonly PlannedCall[];
  /** What people do when the model is asked for this answer for the first time. */
  readonly meanwhile: readonly Move[];
}

/** One conversation, so that it always goes the same way as long as nobody dies. */
export interface Plan {
  /** By the number of answers before; the model says a word after the last. */
  readonly answers: readonly PlannedAnswer[];
  /** What people do, each group when nothing is left to do. */
  readonly idle: readonly (readonly Move[])[];
  /** How what still waits ends. */
  readonly ending: "settled" | "stopped";
  /** A window that gets full, so that the conversation is shortened. Absent: it never is. */
  readonly window?: {
    readonly tokens: number;
    /** The server refuses requests of more characters. */
    readonly refusedChars: number;
    /** Of the result of a call that has run. */
    readonly resultChars: number;
  };
}

/** The name of a call in the plan. Its arguments carry it. */
export function callName(answer: number, index: number): string {
  return `a${answer}c${index}`;
}

export function placeOf(name: string): { readonly answer: number; readonly index: number } {
  const [, answer, index] = /^a(\d+)c(\d+)$/.exec(name) ?? [];
  return { answer: Number(answer), index: Number(index) };
}

export function plannedCall({ answers }: Plan, name: string): PlannedCall {
  const { answer, index } = placeOf(name);
  const call = answers[answer]?.calls[index];
  if (call === undefined) throw new Error(`${name} is in no plan`);
  return call;
}

export function changesSomething(kind: CallKind): boolean {
  return kind === "write" || kind === "ask" || kind === "begin";
}

/** The number of the next answer, by what the model is shown: what was left out stands in the newest checkpoint. */
export function nextAnswer(shown: string): number {
  const made = [...shown.matchAll(/\banswer (\d+)(?![\d.])|\ba(\d{1,2})c\d\b/g)];
  return 1 + Math.max(-1, ...made.map(([, said, called]) => Number(said ?? called)));
}

/** Somebody ends a turn early: then how far its calls have come is a matter of timing. */
export function endsEarly({ answers, idle, ending }: Plan): boolean {
  const moves = [
    ...idle.flat(),
    ...answers.flatMap(({ meanwhile, calls }) => [...meanwhile, ...calls.flatMap((call) => call.meanwhile ?? [])]),
  ];
  return (
    ending === "stopped" ||
    moves.some((move) => move.kind === "stop" || (move.kind === "say" && move.mode === "interrupt"))
  );
}

/**
 * Somebody says something that the turn may take in, or decides, while the model makes an answer. When that answer is lost, the
 * next one is made with it.
 */
export function steersAnswers({ answers }: Plan): boolean {
  return answers
    .flatMap(({ meanwhile }) => meanwhile)
    .some((move) => move.kind === "decide" || (move.kind === "say" && move.mode === "steer"));
}

/**
 * Somebody says something, or stops, right after somebody else has written over the turn, while the model makes an answer: whether the
 * next turn begins with both, or has begun when it is stopped, is a matter of timing.
 */
export function racesNextTurn({ answers }: Plan): boolean {
  return answers.some(({ meanwhile }) => {
    const first = meanwhile.findIndex((move) => move.kind === "say" && move.mode === "interrupt");
    return first >= 0 && meanwhile.slice(first + 1).some(({ kind }) => kind === "say" || kind === "stop");
  });
}
