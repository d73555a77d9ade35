import { posix } from "node:path";
import { sameWorkspace } from "./same-workspace.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The same workspace, which tells of each folder that somebody works in: where files are read, written or listed, and where
 * commands run. Absolute, or below the workspace's folder.
 */
export function watchedWorkspace(workspace: Workspace, touched: (folder: string) => void): Workspace {
  const within = (folder: string | undefined) => {
    if (folder !== undefined) touched(folder);
  };
  return {
    ...sameWorkspace(workspace),
    exec: (command, options) => {
      within(command.folder);
      return workspace.exec(command, options);
    },
    run: async (command, options) => {
      const result = await workspace.run(command, options);
      within(result.folder);
      return result;
    },
    spawn: (command) => {
      within(command.folder);
      return workspace.spawn(command);
    },
    read: (path, range) => {
      within(posix.dirname(path));
      return workspace.read(path, range);
    },
    write: (path, content) => {
      within(posix.dirname(path));
      return workspace.write(path, content);
    },
    list: (path, limit) => {
      within(path);
      return workspace.list(path, limit);
    },
  };
}
