import { isAtLeast, type Role } from "@talaria/protocol";
import type { OutboxText } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import { noticeTo } from "./control.ts";
import { isAskedHere } from "./decide.ts";
import { askedByUnsure } from "./decision-words.ts";
import { isOwnerAlone } from "./owner-alone.ts";
import type { Passing } from "./passing.ts";
import { labelsOfUnsure } from "./question-words.ts";

/**
 * What somebody is told who may decide what a question asks, answers it as if they did ("yes please"), and decides nothing by that. The
 * words themselves are the agent's.
 */
export async function unsureNotice(
  { event, above, deps }: Passing,
  role: () => Promise<Role>,
): Promise<OutboxText | undefined> {
  if (event.sender.role !== "person") return undefined;
  const labels = await labelsOfUnsure(event, deps);
  if (labels.length > 0)
    return isOwnerAlone(event, await role())
      ? noticeTo(event, "notice", wordsFor(event).decisionNotices.howToChoose(labels))
      : undefined;
  const asked = await askedByUnsure(event, deps, above !== undefined);
  if (asked.length === 0) return undefined;
  const known = await role();
  const mayDecide = asked.some(
    (call) =>
      call.settlement === undefined &&
      !call.isOverdue &&
      isAskedHere(call, event, known) &&
      isAtLeast(known, call.approver ?? "owner"),
  );
  return mayDecide
    ? noticeTo(event, "notice", wordsFor(event).decisionNotices.howToDecide(asked.length > 1))
    : undefined;
}
