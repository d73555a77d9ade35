/** `Re:`, `AW:`, `SV:`, `Odp:`, `回复：`, `Re[2]:`, and what lists write before it. */
const prefix = /^\s*(?:\[[^\]]{1,30}\]\s*)?\p{L}[\p{L}\p{M}.-]{0,11}\s?(?:[[(]\p{Nd}{1,3}[\])])?\s?[:：]\s*/u;
/** After Wikipedia's "List of email subject abbreviations". */
const answers =
  /^\s*(?:\[[^\]]{1,30}\]\s*)?(?:re|aw|antw|sv|vs|odp|ynt|vá|rif|r|res|bls|atb|ha|απ|σχετ|回复|答复|回覆|返信|답장|השב|תגובה|رد)(?:[[(]\p{Nd}{1,3}[\])])?\s?[:：]/iu;
const mostPrefixes = 10;

/** A subject without what programs write before it, to compare: small letters, one space. */
export function plainSubject(subject: string): string {
  let rest = subject.slice(0, 500);
  for (let count = 0; count < mostPrefixes; count += 1) {
    const next = rest.replace(prefix, "");
    if (next === rest) break;
    rest = next;
  }
  return rest.replace(/\s+/g, " ").trim().toLowerCase();
}

/** Whether a subject begins like that of an answer, in the languages we know. */
export function saysAnswer(subject: string): boolean {
  return answers.test(subject.slice(0, 60));
}

/** Whether something stands before a subject that may be a foreign word for "passed on". */
export function hasUnknownPrefix(subject: string): boolean {
  return !saysAnswer(subject) && prefix.test(subject.slice(0, 60));
}
