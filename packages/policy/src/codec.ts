import { type Instant, permissions, roleSchema, type UserId } from "@talaria/protocol";
import { z } from "zod";
import type { Approval } from "./approval.ts";
import type { Grant } from "./grant.ts";
import { places } from "./request.ts";

const userId = z.string().min(1) as unknown as z.ZodType<UserId, UserId>;
const instant = z.iso.datetime() as unknown as z.ZodType<Instant, Instant>;
const scope = z.enum(["once", "session", "always"]);

const terms = {
  tool: z.string(),
  patterns: z.array(z.object({ permission: z.enum(permissions), target: z.string(), isOutward: z.boolean() })),
  place: z.enum(places),
  role: roleSchema,
  isTainted: z.boolean(),
};

/** Reads an approval that another process, perhaps of another version, has written. */
export const approvalSchema: z.ZodType<Approval> = z.object({
  callId: z.string().min(1),
  digest: z.string().min(1),
  shown: z.object({ text: z.string(), leftOut: z.int().nonnegative(), hasHidden: z.boolean() }),
  approverRole: z.enum(["owner", "member"]),
  approvers: z.array(userId),
  expiresAt: instant,
  scopes: z.array(scope),
  terms: z.object(terms).exactOptional(),
  state: z.discriminatedUnion("status", [
    z.object({ status: z.literal("open") }),
    z.object({ status: z.literal("approved"), scope, by: userId, at: instant }),
    z.object({ status: z.literal("denied"), by: userId, at: instant, reason: z.string().exactOptional() }),
    z.object({ status: z.literal("expired"), at: instant }),
  ]),
});

/** Reads a grant that another process has written. */
export const grantSchema: z.ZodType<Grant> = z.object({
  ...terms,
  scope: z.enum(["session", "always"]),
  callId: z.string().min(1),
  by: userId,
  byRole: z.enum(["owner", "member"]),
  at: instant,
});
