/** What the model is told of a message that begins with `/` and a skill's name. */
export function askedNote(name: string): string {
  return `The message asks for the skill ${name}: read it with the tool skill before you answer. What stands behind its name is what it is for.`;
}
