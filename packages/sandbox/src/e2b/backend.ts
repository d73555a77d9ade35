import { posix } from "node:path";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { E2bSettings, SandboxLimits } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Backend, Place } from "../place.ts";
import { quote } from "../quote.ts";
import { openRemotePlace } from "../remote/remote-place.ts";
import { E2bMachine } from "./machine.ts";

/** A virtual machine of E2B for each session. It is paused when its session is closed, and found again by its metadata. */
export function createE2bBackend(
  settings: E2bSettings & { readonly folder: string },
  limits: SandboxLimits,
  clock: Clock,
): Backend {
  const places = new Set<Place>();
  return {
    description: `e2b, template ${settings.template}`,
    start: async () => {
      if (!posix.isAbsolute(settings.folder))
        throw new GatewayError(`the folder in E2B's sandboxes must be an absolute path, not ${settings.folder}`, {
          code: "unsupported",
        });
    },
    open: async (sessionKey) => {
      const sdk = await import("e2b");
      const root = posix.join(settings.folder, folderName(sessionKey));
      const id = folderName(`${settings.label}\n${sessionKey}`);
      const prepare = `mkdir -p -m 700 ${quote(root)} && mkdir -p ${quote(`${root}/files`)}`;
      const machine = new E2bMachine({ sdk, settings, id, prepare, clock });
      const inner = await openRemotePlace(machine, settings.folder, sessionKey, limits);
      const place: Place = {
        folder: inner.folder,
        shell: inner.shell,
        launch: (program) => inner.launch(program),
        usedBytes: () => inner.usedBytes(),
        close: async () => {
          places.delete(place);
          await inner.close();
          await machine.pause();
        },
        discard: async () => {
          places.delete(place);
          await machine.kill();
        },
      };
      places.add(place);
      return place;
    },
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
    },
  };
}
