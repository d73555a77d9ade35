/** What is wrong with a skill, as a sentence that names the field or file and the remedy. */
export interface Fault {
  readonly message: string;
  /** The skill can't be used. Otherwise it is used as far as it goes. */
  readonly isFatal: boolean;
}

export function fatal(message: string): Fault {
  return { message, isFatal: true };
}

export function harmless(message: string): Fault {
  return { message, isFatal: false };
}
