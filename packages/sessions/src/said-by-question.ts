import type { InboundEvent } from "@talaria/protocol";
import type { DirectSettlement } from "@talaria/store";

/**
 * Whoever decides or answers by the button of a question reads below it what was decided: a group needs no message that says it again.
 * One that says more, such as what an agreement covers, goes out.
 */
export function saidByQuestion<Settled extends DirectSettlement>(settlement: Settled, event: InboundEvent): Settled {
  const { effect, notice } = settlement;
  if (event.type !== "action.invoked" || effect?.kind !== "decide" || notice === undefined) return settlement;
  if (effect.grant !== undefined) return settlement;
  return { ...settlement, notice: { ...notice, saidByEdit: true } };
}
