/** Why an event gets no answer of the agent, in the words that the log, metrics and the database use. */
export const admissionReasons = [
  "no_sender_id",
  "from_bot",
  "from_system",
  "not_allowed",
  "unverified_sender",
  "account_off",
  "group_not_allowed",
  "unknown_account",
  "pairing_code",
  "pairing_waiting",
  "pairing_full",
  "pairing_ignored",
  "pairing_blocked",
  "pairing_removed",
  "too_old",
  "not_addressed",
  "reaction",
  "empty",
  "too_long",
  "bot_loop",
  "mail_loop",
  "needs_member",
  "may_not_decide",
] as const;

export type AdmissionReason = (typeof admissionReasons)[number];
