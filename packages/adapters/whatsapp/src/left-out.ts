/** Why a message becomes no event: it is not for the agent or, where `kind` says of which kind it is, can't be read. */
export interface LeftOut {
  readonly reason: string;
  readonly kind?: string;
}
