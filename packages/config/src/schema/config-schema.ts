import type { AccountPolicy, Platform } from "@talaria/protocol";
import { z } from "zod";
import type { Secret } from "../secret.ts";
import { accountSchemaFor } from "./account-schema.ts";
import { baseSchema } from "./base-schema.ts";
import type { modelSchema } from "./model-schema.ts";
import { type WebhookConfig, webhookSchema } from "./webhook-schema.ts";

/** The whole file, for the generated JSON schema and the documentation. `loadConfig` checks its parts one by one. */
export function configSchemaFor(platforms: readonly string[]) {
  return z.strictObject({
    ...baseSchema.shape,
    accounts: z.record(z.string(), accountSchemaFor(platforms)).default({}),
    webhooks: z.record(z.string(), webhookSchema).default({}),
  });
}

type DeepReadonly<T> = T extends Secret | string | number | boolean | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** One account that is enabled and has no problem. */
export interface AccountConfig extends AccountPolicy {
  readonly platform: Platform;
  readonly reactions: { readonly status: boolean };
  /** An http or https address. */
  readonly proxy?: string;
  /** The platform's own keys: output of the platform's schema, or unchecked when no platforms were given. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export type ModelConfig = DeepReadonly<z.output<typeof modelSchema>>;
export type BaseConfig = DeepReadonly<z.output<typeof baseSchema>>;

/** An account or webhook route that does not run, and why. */
export interface Disabled {
  readonly kind: "account" | "webhook";
  readonly name: string;
  readonly reason: string;
}

/** A checked, deep-frozen configuration. */
export interface TalariaConfig extends BaseConfig {
  readonly accounts: Readonly<Record<string, AccountConfig>>;
  readonly webhooks: Readonly<Record<string, WebhookConfig>>;
  /** Accounts before webhook routes, each in the order of the file. */
  readonly disabled: readonly Disabled[];
}
