/** How a text turns on its reader. */
export type Suspicion =
  | "sets_rules_aside"
  | "kept_from_people"
  | "asks_for_prompt"
  | "gives_another_part"
  | "sends_secrets"
  | "hides_part";

/** Why a text turns on its reader, by its first sign. Undefined: no sign of it. */
export function suspicionIn(text: string): Suspicion | undefined {
  if (hidden.test(text)) return "hides_part";
  const plain = text.normalize("NFKC").replace(/’/g, "'").replace(/\s+/g, " ").toLowerCase();
  return suspicions.find(([pattern]) => pattern.test(plain))?.[1];
}

/** Characters that have no use in such a text but to hide or to turn round a part of it. */
const hidden = /[\u{e0000}-\u{e007f}\u202d\u202e]/u;

const ranks = "(?:previous|prior|above|earlier|preceding|system|developer|safety|operator's|gateway's)";
const orders = "(?:instructions?|rules?|prompts?|messages?|guidelines?|restrictions?)";
const people = "(?:user|users|human|humans|person|people|owner|owners|operator)";

/** What no honest file about a project says to its reader. Every repetition is bounded. */
export const suspicions: readonly (readonly [RegExp, Suspicion])[] = [
  [
    new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|every|of|the|your|these|those) ){0,4}${ranks} (?:system )?${orders}\\b`,
    ),
    "sets_rules_aside",
  ],
  [/\bforget (?:everything|all)(?: that)? (?:above|before|you)\b/, "sets_rules_aside"],
  [
    new RegExp(
      `\\b(?:do not|don't|never) (?:tell|inform|alert|notify|warn) (?:(?:the|your|any|this) ){0,2}${people}\\b`,
    ),
    "kept_from_people",
  ],
  [
    new RegExp(
      `\\bwithout (?:telling|informing|alerting|notifying|the knowledge of) (?:(?:the|your|any) ){0,2}${people}\\b`,
    ),
    "kept_from_people",
  ],
  [
    /\b(?:reveal|print|repeat|output|leak|send|post) (?:(?:me|us|out) )?(?:your|the) (?:system|hidden|initial|secret) (?:prompt|instructions|message)\b/,
    "asks_for_prompt",
  ],
  [/\byou are (?:now|no longer) (?:a|an|the|bound|limited|restricted|in)\b/, "gives_another_part"],
  [
    /\b(?:curl|wget|nc|ncat)\b.{0,200}(?:\$\((?:cat|env|printenv)\b|\bid_rsa\b|\bid_ed25519\b|\.ssh\/|@[^ ]{0,80}\.env\b)/,
    "sends_secrets",
  ],
];
