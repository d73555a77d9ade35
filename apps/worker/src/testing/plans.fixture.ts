import fc from "fast-check";
import type { CallKind, Move, Plan, PlannedAnswer, PlannedCall } from "./plan.ts";

/** What generated plans are made of. Whatever stands there several times is drawn more often. */
interface PlanChoices {
  readonly kinds: readonly CallKind[];
  readonly fates: readonly PlannedCall["fate"][];
  readonly modes: readonly Extract<Move, { readonly kind: "say" }>["mode"][];
  /** Whether people also do things that change an answer while the model makes it, see the function of this name. */
  readonly steersAnswers: boolean;
}

/** Conversations of one to four answers with up to four calls each, in which people talk, decide and stop at any time. */
export function plansOf({ kinds, fates, modes, steersAnswers }: PlanChoices): fc.Arbitrary<Plan> {
  const say = fc.record({ kind: fc.constant("say" as const), mode: fc.constantFrom(...modes) });
  const moves: fc.Arbitrary<Move> = fc.oneof(
    { weight: 6, arbitrary: say },
    { weight: 5, arbitrary: fc.constant({ kind: "decide" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "stop" } as const) },
  );
  /** What makes no difference to an answer that is being made. */
  const unheard = moves.filter((move) => move.kind === "stop" || (move.kind === "say" && move.mode !== "steer"));
  const calls: fc.Arbitrary<PlannedCall> = fc.record({
    kind: fc.constantFrom(...kinds),
    fate: fc.constantFrom(...fates),
    lingers: fc.nat(3),
  });
  const answers: fc.Arbitrary<PlannedAnswer> = fc
    .record({
      calls: fc.array(calls, { maxLength: 4 }),
      meanwhile: fc.oneof(
        { weight: 12, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(unheard, { minLength: 1, maxLength: 2 }) },
        { weight: steersAnswers ? 1 : 0, arbitrary: fc.array(moves, { minLength: 1, maxLength: 2 }) },
      ),
      inCall: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: moves }),
    })
    .map(({ inCall, ...answer }) => ({ ...answer, calls: withMove(answer.calls, inCall) }));
  return fc.record({
    answers: fc.array(answers, { minLength: 1, maxLength: 4 }),
    idle: fc.array(fc.array(moves, { minLength: 1, maxLength: 2 }), { maxLength: 4 }),
    ending: fc.constantFrom("settled", "settled", "settled", "stopped"),
  });
}

/** One call of an answer at most has somebody do something, so that the order is always the same. */
function withMove(all: readonly PlannedCall[], meanwhile: Move | undefined): readonly PlannedCall[] {
  const index = all.findIndex(({ kind }) => kind === "read");
  return all.map((call, place) => (place === index ? { ...call, meanwhile } : call));
}
