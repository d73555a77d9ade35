import { policyFaults } from "@talaria/policy";
import { permissions } from "@talaria/protocol";
import { z } from "zod";

const reason = z.string().min(1, "needs a reason, which people are shown").max(300);

const ruleSchema = z.strictObject({
  allow: reason.optional().describe("Lets such calls run. The reason is shown in traces."),
  ask: reason.optional().describe("Asks somebody first. The reason is shown to them."),
  deny: reason.optional().describe("Refuses such calls. The reason is told to the model."),
  tool: z.string().optional().describe("Name of a tool. `*` stands for any characters."),
  permission: z.enum(permissions).optional().describe("What the call touches."),
  target: z
    .string()
    .optional()
    .describe("Address, command, recipient or path; needs `permission`. A star at its end stands for the rest."),
  in: z
    .enum(["direct", "group", "webhook"])
    .optional()
    .describe("Where. Default: everywhere, for `allow` in direct conversations."),
  as: z
    .enum(["owner", "member", "guest"])
    .optional()
    .describe("For whom: `allow` this role and stronger ones, `deny` this one and weaker ones, `ask` this one alone."),
  outward: z.boolean().optional().describe("Whether the call gives something to somebody outside."),
  approver: z.enum(["owner", "member"]).optional().describe("Who is asked, with `ask`. Default: an owner."),
});

const approvalsSchema = z.strictObject({
  expiresMinutes: z
    .int()
    .min(1)
    .max(10_080)
    .default(60)
    .describe("How long a question waits for its answer. Then the call is denied."),
});

/** Who may do what with tools. `packages/policy` knows what a rule means; what it finds wrong makes the file invalid. */
export const policySchema = z
  .strictObject({
    rules: z
      .array(ruleSchema)
      .max(200)
      .default([])
      .describe("Rules for tools, before the built-in ones: docs/policy.md. Their order doesn't matter."),
    trusted: z
      .array(z.string())
      .max(200)
      .default([])
      .describe("Addresses and recipients that may be given something without asking again after untrusted content."),
    approvals: approvalsSchema.prefault({}),
  })
  .superRefine((policy, context) => {
    for (const { path, message } of policyFaults(policy))
      context.addIssue({ code: "custom", path: [...path], message });
  });
