import type { Clock } from "@talaria/protocol";
import type { BaseSettings, E2bSettings, SandboxLimits } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Backend } from "../place.ts";
import { quote } from "../quote.ts";
import { createHostedBackend } from "../remote/hosted-backend.ts";
import { E2bMachine } from "./machine.ts";

/** A virtual machine of E2B for each session. It is paused when its session is closed, and found again by its metadata. */
export function createE2bBackend(settings: E2bSettings & BaseSettings, limits: SandboxLimits, clock: Clock): Backend {
  const service = {
    name: "E2B",
    description: `e2b, template ${settings.template}`,
    folder: settings.folder,
    author: settings.author,
    machineFor: async (sessionKey: string, root: string) => {
      const sdk = await import("e2b");
      const id = folderName(`${settings.label}\n${sessionKey}`);
      const prepare = `mkdir -p -m 700 ${quote(root)} && mkdir -p ${quote(`${root}/files`)} ${quote(`${root}/tmp`)}`;
      const machine = new E2bMachine({ sdk, settings, id, prepare, clock });
      return { machine, close: () => machine.pause(), discard: () => machine.kill() };
    },
  };
  return createHostedBackend(service, limits, clock);
}
