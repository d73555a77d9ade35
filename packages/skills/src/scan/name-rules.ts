import { editDistance } from "@talaria/protocol";
import type { Skill } from "../skill.ts";
import type { Remark } from "./remark.ts";

/** Of https://github.com/anthropics/skills, which are copied most. Shorter names are one edit away from too much. */
const wellKnown = [
  ...["skill-creator", "mcp-builder", "webapp-testing", "frontend-design", "canvas-design", "brand-guidelines"],
  ...[
    "internal-comms",
    "doc-coauthoring",
    "algorithmic-art",
    "slack-gif-creator",
    "theme-factory",
    "web-artifacts-builder",
  ],
];
const leastChars = 6;

/** Names that pass for another skill's: one edit away, or with a few random characters behind. */
export function scanNames({ name, allowedTools }: Skill, others: readonly string[]): readonly Remark[] {
  const like = [...wellKnown, ...others].find((known) => known !== name && passesFor(name, known));
  const at = { file: "SKILL.md", line: 1 };
  return [
    ...(like === undefined
      ? []
      : [{ ...at, rule: "lookalike-name", why: `its name is nearly ${JSON.stringify(like)}`, isObjection: false }]),
    ...(allowedTools === undefined || !/(?:^|\s)(?:\*|bash|shell|terminal)(?:\(\*\))?(?=\s|$)/i.test(allowedTools)
      ? []
      : [
          {
            ...at,
            rule: "wide-tools",
            why: "it would like to run any command; nothing is granted by it",
            isObjection: false,
          },
        ]),
  ];
}

function passesFor(name: string, known: string): boolean {
  if (known.length < leastChars) return false;
  const suffix = name.startsWith(known) ? name.slice(known.length) : "";
  return editDistance(name, known) === 1 || /^-?(?=[a-z]*\d)[a-z0-9]{3,8}$/.test(suffix);
}
