import { cleanName } from "@talaria/adapter-kit";

/** Longest name with its ending, in code points. */
const longest = 80;
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A sender's file name as a mere label: no folders, nothing invisible, no name that some system takes for a device. */
export function safeFileName(name: string): string {
  const bare = cleanName(withEnding(name))
    .replace(/[/\\:*?"<>|]/g, "_")
    .replace(/^\.+/, "")
    .replace(/[. ]+$/, "");
  return devices.test(bare) ? `_${bare}` : bare;
}

/** A long name keeps its ending. */
function withEnding(name: string): string {
  const letters = [...name];
  if (letters.length <= longest) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  return letters.slice(0, longest - ending.length).join("") + ending;
}
