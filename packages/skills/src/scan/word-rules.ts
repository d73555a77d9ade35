import { faultWords } from "@talaria/memory";
import { doubtfulSigns, type Sign, steeringSigns, suspicions } from "@talaria/protocol";
import { doubt, objection, type TextRule } from "./remark.ts";

const shared = (signs: readonly Sign[], make: typeof objection, rule: string): readonly TextRule[] =>
  signs.map(([pattern, fault]) => make(rule, faultWords[fault], pattern));

const people = "(?:user|users|human|humans|person|people|owner|operator)";
const agent = "(?:agent|assistant|model|ai|claude|gpt|llm|bot)";

/** Words that turn on their reader: what files of a workspace and facts are looked through for, and what only skills have. */
export const wordRules: readonly TextRule[] = [
  ...shared(suspicions, objection, "steering-words"),
  ...shared(steeringSigns, objection, "steering-words"),
  ...shared(doubtfulSigns, doubt, "doubtful-words"),
  objection(
    "imitated-blocks",
    "it imitates what a model's own messages look like",
    /<\|(?:im_start|im_end|system|assistant|user|endoftext)[\w ]{0,20}\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:untrusted|checkpoint|overheard|workspace_instructions|facts|skill_catalogue)\b[^>]{0,80}>/,
  ),
  objection(
    "hidden-comment",
    "a comment that people don't see speaks to the agent",
    new RegExp(`<!--(?:(?!-->).){0,400}\\b(?:${agent}s?|you must|you should|system|ignore|instructions?)\\b`),
  ),
  objection(
    "secrecy",
    "it asks for something to be kept from people",
    new RegExp(
      `\\b(?:do not|don't|never|without) (?:mention|mentioning|reveal|revealing|show|showing|disclose|disclosing|report|reporting|log|logging)(?:ing)? (?:\\w{1,12} ){0,5}(?:to|from) (?:the |your |any )?${people}\\b|\\b(?:silently|secretly|covertly|quietly) (?:send|upload|post|forward|copy|run|execute|install|download|append|add)\\b`,
    ),
  ),
  objection(
    "takes-precedence",
    "it puts itself above its reader's rules",
    /\b(?:takes? precedence over|overrides?|supersedes?|outranks?) (?:\w{1,12} ){0,3}(?:system|safety|security|operator|developer|user|other|all) (?:prompt|instructions?|rules?|polic(?:y|ies)|guidelines?|settings?|skills?)\b/,
  ),
  doubt(
    "always-active",
    "it wants to be used whatever people ask",
    /\b(?:always (?:use|load|activate|run|apply) this skill|use (?:this skill )?(?:for|on|before|in) (?:every|all|any) (?:request|message|task|conversation|prompt|question)s?)\b/,
  ),
  doubt(
    "asks-for-secrets",
    "it asks people for a secret",
    new RegExp(
      `\\bask (?:the |your )?${people} (?:for|to (?:enter|paste|type|provide|give|share)) (?:\\w{1,12} ){0,4}(?:passwords?|api keys?|tokens?|secrets?|credentials?|seed phrase|private keys?|recovery phrase)\\b`,
    ),
  ),
];
