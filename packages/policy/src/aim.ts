/**
 * Whom or what a call of somebody else's tool is for: the arguments by which its operator tells. `unnamed`: no argument is named, or
 * the call has none of them.
 */
export type Aim = Readonly<Record<string, unknown>> | "unnamed";

const mostChars = 300;

/** The one form in which aims are compared and people read them: `recipient "DE89"`. Undefined for what they could not read as one. */
export function aimText(aim: Exclude<Aim, "unnamed">): string | undefined {
  const text = Object.entries(aim)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(", ");
  return text === "" || text.length > mostChars || /[`\r\n]/.test(text) ? undefined : text;
}
