/** Files of one skill, and bytes of one of them and of all. */
export const mostFiles = 200;
export const mostFileBytes = 1_048_576;
export const mostBytes = 8_388_608;
/** With folders. */
export const mostEntries = 400;
/** Folders within folders. */
export const mostDepth = 5;
/** Of a path below the skill's folder. */
export const mostPathChars = 200;
/** Of SKILL.md: the specification recommends less than 5,000 tokens. */
export const mostMainBytes = 131_072;
