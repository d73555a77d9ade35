import { GatewayError } from "@talaria/protocol";

/** The one thing that an operator does about what doesn't work here. */
export interface Remedy {
  /** `command`: a line for a shell. `container`: options for `docker run`. `setting`: a key of the configuration with its value. */
  readonly kind: "command" | "container" | "setting";
  readonly text: string;
}

/** A place can't be used as this machine is. */
export class Lacking extends GatewayError {
  readonly remedy: Remedy | undefined;

  constructor(message: string, remedy: Remedy | undefined, cause?: unknown) {
    super(message, { code: "unsupported", ...(cause === undefined ? {} : { cause }) });
    this.remedy = remedy;
  }
}
