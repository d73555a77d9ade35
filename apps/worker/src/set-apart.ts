/** The signs of the lines that say how a question ended, with those that look like them. A number of HTML may be one. */
const marks = /[\u2713\u2714\u2717\u2718\u{1f5f8}\u{1f5f6}]|&#|&(?:check|checkmark|cross);/iu;

/**
 * A question of the agent's below which a decision may be told, Markdown. One that has the mark of a decision is a quote, so that it
 * never looks decided.
 */
export function setApart(question: string): string {
  if (!marks.test(question)) return question;
  return question
    .split(/\r\n?|\n/)
    .map((line) => `> ${line}`)
    .join("\n");
}
