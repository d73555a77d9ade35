import { posix } from "node:path";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { ModalSettings, SandboxLimits } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Backend, Place } from "../place.ts";
import { openRemotePlace } from "../remote/remote-place.ts";
import { modalClient } from "./client.ts";
import { ModalMachine, unavailable } from "./machine.ts";

/** A sandbox of Modal for each session, ended when its session is closed, with a volume that holds its files. */
export function createModalBackend(
  settings: ModalSettings & { readonly folder: string },
  limits: SandboxLimits,
  clock: Clock,
): Backend {
  const places = new Set<Place>();
  const connect = async () => {
    const sdk = await import("modal");
    const client = await modalClient(settings);
    const app = await client.apps.fromName(settings.app, { createIfMissing: true }).catch((error: unknown) => {
      throw unavailable(`did not give the app ${settings.app}`, error);
    });
    return { sdk, client, app, image: client.images.fromRegistry(settings.image) };
  };
  let connection: ReturnType<typeof connect> | undefined;
  return {
    description: `modal, image ${settings.image}`,
    start: async () => {
      if (!posix.isAbsolute(settings.folder))
        throw new GatewayError(`the folder in Modal's sandboxes must be an absolute path, not ${settings.folder}`, {
          code: "unsupported",
        });
      connection = connect();
      await connection;
    },
    open: async (sessionKey) => {
      connection ??= connect();
      const folder = posix.join(settings.folder, folderName(sessionKey));
      const id = `talaria-${folderName(`${settings.app}\n${sessionKey}`)}`;
      const machine = new ModalMachine({ ...(await connection), settings, id, folder, clock });
      const inner = await openRemotePlace(machine, settings.folder, sessionKey, limits);
      const place: Place = {
        folder: inner.folder,
        shell: inner.shell,
        launch: (program) => inner.launch(program),
        usedBytes: () => inner.usedBytes(),
        close: async () => {
          places.delete(place);
          await inner.close();
          await machine.end();
        },
        discard: async () => {
          places.delete(place);
          await machine.delete();
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
