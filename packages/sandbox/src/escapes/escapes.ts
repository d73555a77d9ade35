import type { Escape, EscapeTargets } from "./escape.ts";
import { fileEscapes } from "./file-escapes.ts";
import { kernelEscapes } from "./kernel-escapes.ts";
import { networkEscapes } from "./network-escapes.ts";
import { privilegeEscapes } from "./privilege-escapes.ts";
import { processEscapes } from "./process-escapes.ts";

/** Attempts to get out, each one command. */
export function escapes(targets: EscapeTargets): readonly Escape[] {
  return [
    ...fileEscapes(targets),
    ...processEscapes(targets),
    ...networkEscapes(targets),
    ...privilegeEscapes(targets),
    ...kernelEscapes(),
  ];
}
