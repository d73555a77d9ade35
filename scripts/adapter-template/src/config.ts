import { baseAddress, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";

/** The keys of an account beside those that every account has. */
export const loopbackConfigSchema = z.strictObject({
  token: revealedSecret(z.string().min(1)),
  /** Base address of the platform's API, so that tests and self-hosted servers can be reached. */
  apiRoot: baseAddress,
});

export type LoopbackConfig = z.output<typeof loopbackConfigSchema>;
