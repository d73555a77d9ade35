import { z } from "zod";
import { secretSchema } from "./secret-schema.ts";

/** Sandboxes of Modal, one for each conversation. */
export const modalSchema = z.strictObject({
  tokenId: secretSchema.describe("Id of a token of Modal: `ak-...`."),
  tokenSecret: secretSchema.describe("Secret of the same token: `as-...`."),
  app: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,63}$/, "must be 1 to 63 letters, digits, `.`, `_` or `-`")
    .default("talaria")
    .describe("App of Modal that the sandboxes belong to, made when it isn't there. Give each installation its own."),
  image: z
    .string()
    .regex(/^\S{1,300}$/, "must be the name of a container image, such as `debian:12`")
    .default("debian:12")
    .describe("Image of a public registry that sandboxes are made of. Modal fetches it."),
});
