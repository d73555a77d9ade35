import type { Workspace } from "./workspace.ts";

/** Every method of a workspace, for one that does some of them otherwise. */
export function sameWorkspace(workspace: Workspace): Workspace {
  return {
    folder: workspace.folder,
    exec: (command, options) => workspace.exec(command, options),
    run: (command, options) => workspace.run(command, options),
    newShell: () => workspace.newShell(),
    hasShell: () => workspace.hasShell(),
    spawn: (command) => workspace.spawn(command),
    processes: () => workspace.processes(),
    read: (path, range) => workspace.read(path, range),
    write: (path, content) => workspace.write(path, content),
    list: (path, limit) => workspace.list(path, limit),
    snapshot: (maxBytes) => workspace.snapshot(maxBytes),
    restore: (snapshot) => workspace.restore(snapshot),
  };
}
