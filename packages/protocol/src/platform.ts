import { z } from "zod";

/**
 * The name of a platform, such as `telegram`. Lower-case literals are accepted as they are; any other text must pass
 * `platformOf` or `platformSchema` first, and an id is never accepted. `packages/platforms` lists the platforms.
 */
export type Platform = Lowercase<string>;

const form = /^[a-z][a-z0-9-]{0,31}$/;

/** Reads the name of a platform written by another process, possibly of another version. */
export const platformSchema = z
  .string()
  .regex(form, "a platform's name has lower-case letters, digits and dashes, at most 32") as unknown as z.ZodType<
  Platform,
  Platform
>;

/** The text as the name of a platform; undefined if it does not have the form of one. */
export function platformOf(text: string): Platform | undefined {
  return form.test(text) ? (text as Platform) : undefined;
}

/** The form of the ids of a platform that are permanent: they cannot be renamed or transferred. Other names could belong to a stranger one day. */
export interface IdForms {
  readonly user: RegExp;
  readonly group: RegExp;
  /** Completes "for example": entries of `access.allow` with commas between them. */
  readonly example: string;
}
