import type { Role } from "@talaria/protocol";

export interface ChosenOne {
  readonly name: string;
  /** Of who has chosen it, then. */
  readonly role: Role;
}

/** What people have chosen for a session. The names are those of then: what is configured may differ. */
export interface Chosen {
  readonly model?: ChosenOne | undefined;
  readonly effort?: ChosenOne | undefined;
}
