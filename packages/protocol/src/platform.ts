import { z } from "zod";

/**
 * The name of a platform, such as `telegram`. Lower-case literals are taken as they are; any other text has to pass
 * `platformOf` or `platformSchema` first, and no id passes for one. Which platforms there are is told by `packages/platforms`.
 */
export type Platform = Lowercase<string>;

const form = /^[a-z][a-z0-9-]{0,31}$/;

/** Reads a platform's name that another process, perhaps of another version, has written. */
export const platformSchema = z
  .string()
  .regex(form, "a platform's name has lower-case letters, digits and dashes, at most 32") as unknown as z.ZodType<
  Platform,
  Platform
>;

/** The text as a platform's name; undefined when it has not the form of one. */
export function platformOf(text: string): Platform | undefined {
  return form.test(text) ? (text as Platform) : undefined;
}

/** What a platform's ids look like that cannot be renamed or handed on. Anything else in a list could one day name a stranger. */
export interface IdForms {
  readonly user: RegExp;
  readonly group: RegExp;
  /** Completes "for example": entries of `access.allow` with commas between them. */
  readonly example: string;
}
