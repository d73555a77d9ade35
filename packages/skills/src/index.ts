export type { Fault } from "./fault.ts";
export { readSkill } from "./read-skill.ts";
export type { Remark } from "./scan/remark.ts";
export { scanSkill } from "./scan/scan-skill.ts";
export type { Skill, SkillFields, SkillFile } from "./skill.ts";
export type { ReadSkill } from "./to-skill.ts";
