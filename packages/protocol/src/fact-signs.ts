import type { Suspicion } from "./suspicion.ts";

/** Why a text may not be kept as a fact, or shown as one. */
export type FactFault =
  | Suspicion
  | "too_long"
  | "unseen_characters"
  | "mixed_alphabets"
  | "secret"
  | "one_time_code"
  | "sends_away"
  | "points_at_keys"
  | "changes_settings"
  | "order";

/** What tells that a text is no fact, and why it is not kept. The text is in lower case with single blanks. */
export type Sign = readonly [pattern: RegExp, fault: FactFault];

const rules = "(?:instructions?|rules?|prompts?|guidelines?|restrictions?|polic(?:y|ies)|safeguards?|approvals?)";
const goods =
  "(?:passwords?|keys?|tokens?|secrets?|credentials?|conversations?|messages?|history|memor(?:y|ies)|files?|data|prompt|everything)";
const target = "(?:https?://|www\\.|[\\w.+-]{1,64}@[\\w-]{1,64}\\.)";

// In all of these every repetition is bounded, and none stands within another one of the same characters.

/** What steers its reader in any text, of whatever kind. */
export const steeringSigns: readonly Sign[] = [
  [
    /\bignor(?:iere|ier|a|e|ez|i) (?:\p{L}{1,12} ){0,4}(?:anweisungen|regeln|instrucciones|reglas|instructions|istruzioni|instruções)/u,
    "sets_rules_aside",
  ],
  [
    /(?:игнорируй|забудь)\p{L}{0,3} .{0,40}(?:инструкци|правил)|(?:忽略|无视).{0,20}(?:指令|规则|提示)|(?:指示|命令)を無視/u,
    "sets_rules_aside",
  ],
  [
    /\b(?:you are|you're|act as|pretend|behave as|role-?play|respond as|speak as) (?:\w{1,12} ){0,4}(?:dan|jailbr\w{1,8}|unrestricted|unfiltered|root|admin\w{0,8}|developer mode|another|an evil|god mode)\b/,
    "gives_another_part",
  ],
  [
    /\b(?:developer|god|debug|maintenance|sudo) mode (?:is |was )?(?:on|enabled|active|activated)\b|\bjailbr(?:eak|oken)/,
    "gives_another_part",
  ],
  [
    /\bfrom now on,? (?:you|the assistant|the agent|always|never)\b|\byour (?:new|real|true) (?:name|role|goal|task|purpose|instructions?|owner|master)\b/,
    "gives_another_part",
  ],
  [
    new RegExp(
      `\\b(?:send|post|forward|upload|e?mail|copy|leak|report|exfiltrate|submit|bcc|cc|deliver|transmit)(?:s|ed|ing)?\\b.{0,80}\\b${goods}\\b.{0,80}${target}`,
    ),
    "sends_away",
  ],
];

/** What may steer its reader, and may as well stand in honest instructions. */
export const doubtfulSigns: readonly Sign[] = [
  [
    new RegExp(
      `\\b(?:ignor\\w{0,3}|disregard\\w{0,3}|forget|overrid\\w{1,3}|bypass\\w{0,3}|skip|disabl\\w{1,3}|turn off) (?:\\w{1,12} ){0,4}${rules}\\b`,
    ),
    "sets_rules_aside",
  ],
  [
    new RegExp(
      `\\bno (?:longer )?(?:\\w{1,12} ){0,3}${rules} (?:apply|count|hold|needed|required)\\b|\\b${rules} (?:no longer|do not|don't) (?:apply|count|hold)\\b`,
    ),
    "sets_rules_aside",
  ],
  [
    /\b(?:without|never) (?:asking|approval|confirmation|confirming|permission)\b|\b(?:auto|pre)-?approved?\b/,
    "sets_rules_aside",
  ],
  [
    /\b(?:edit|change|write|append|add|overwrite|modify|put)\w{0,3} .{0,80}(?:agents\.md|claude\.md|gemini\.md|\.cursorrules|talaria\.ya?ml|crontab|\.bashrc|\.zshrc|\.profile|systemd)\b/,
    "changes_settings",
  ],
];

/** Files that hold keys. */
export const keyFilesSign: Sign = [
  /~?\/?\.(?:ssh|gnupg|aws|kube|docker)\/|\bauthorized_keys\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|passwd|sudoers)|(?<!\w)\.(?:netrc|npmrc|pgpass|env)\b(?!\w)|\bwallet\.dat\b/,
  "points_at_keys",
];

export const signs: readonly Sign[] = [
  ...steeringSigns,
  ...doubtfulSigns,
  keyFilesSign,
  [
    /<\|[\w ]{1,30}\|>|\[\/?(?:inst|system|sys)\]|<<\/?sys>>|(?:^|[.:!?] ?|#{1,6} )(?:system|assistant|developer)(?: prompt| message)? ?:/,
    "gives_another_part",
  ],
  [
    /<\/?(?:system|assistant|user|message|overheard|quoted|note|untrusted|checkpoint|facts|workspace_instructions|tool_call|function)\b/,
    "gives_another_part",
  ],
  [/<!--|<\/?(?:script|iframe|img|style|svg|object|embed|link|meta|form|input|div|span|a|base)[\s/>]/, "hides_part"],
  [
    /\b(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0)\b|javascript:|data:[a-z]{1,20}\/[a-z0-9.+-]{1,40}[;,]/,
    "hides_part",
  ],
  [/!\[[^\]]{0,200}\]\(|\]\((?:https?:)?\/\/[^)\s]{0,200}[?&][^)\s]{0,60}=/, "sends_away"],
  [
    new RegExp(
      `\\b(?:send|post|forward|upload|e?mail|bcc|cc|append|add)(?:s|ed|ing)?\\b.{0,60}\\b(?:to|into|in|with)\\b.{0,20}${target}`,
    ),
    "sends_away",
  ],
  [/\b(?:curl|wget|nc|ncat|invoke-webrequest|scp|rsync)\b.{0,200}(?:https?:\/\/|\||\$\(|`|@|-e |:\/)/, "sends_away"],
  [/\b(?:base64|xxd|openssl enc)\b.{0,80}\||\|\s?(?:ba|z|da)?sh\b|\brm -rf? [~/]/, "sends_away"],
  [
    /(?<!\b(?:postal|zip|post|area|country|dialling|dial|error|source|status|colour|color|hex|exit|product|item) )\b(?:code|otp|passcode|tan|2fa|verification|pin)(?: code| number)?(?: is| was| for [\w ]{1,20} is)?[ :#=]{1,3}(?=[a-z0-9-]{0,3}\d)[a-z0-9-]{4,10}\b/,
    "one_time_code",
  ],
  [
    /\b\d{4,8} (?:is|ist|es) (?:your|the|my|dein|ihr|tu|su) (?:\p{L}{1,15} ){0,3}(?:code|otp|pin|tan|código)/u,
    "one_time_code",
  ],
  [
    /\b(?:password|passwort|passphrase|passcode|contraseña|mot de passe|recovery phrase|seed phrase|api key)\b(?: (?:for|of|to) [\w. -]{1,40})?(?: (?:is|was|ist|es|est|lautet)|\s?[:=]) ?\S{4,}/,
    "secret",
  ],
  [
    /^(?:always|never|don't ever|do not|don't|you must|you should|you will|make sure|be sure|remember to|whenever|every time|from now on|immer|nie(?:mals)?)\b/,
    "order",
  ],
  [
    /\b(?:you|the (?:assistant|agent|ai|model|bot)) (?:must|shall|has to|have to|should always|should never|needs? to|will always|is to)\b/,
    "order",
  ],
];
