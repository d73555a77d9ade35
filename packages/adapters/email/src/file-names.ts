import { cleanFileName } from "@talaria/adapter-kit";

const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A sender's file name as a mere label: no folders, nothing invisible, no name that some system takes for a device. */
export function safeFileName(name: string): string {
  const bare = cleanFileName(name)
    .replace(/[/\\:*?"<>|]/g, "_")
    .replace(/^\.+/, "")
    .replace(/[. ]+$/, "");
  return devices.test(bare) ? `_${bare}` : bare;
}
