import { type Remedy, type Workplace, workplaceOf } from "@talaria/sandbox";
import { createBrowserKeeper } from "./browsers.ts";
import type { ToolSettings, ToolSources } from "./tool-sources.ts";
import { createWorkspaces, isPaid } from "./workspaces.ts";

type Settings = Pick<ToolSettings, "config" | "workspaceFolder">;

/** What the agent has to act with, as far as it has been tried. */
export function workplaceNow(
  { config: { sandbox, browser }, workspaceFolder }: Settings,
  { workspaces, browsers }: Pick<ToolSources, "workspaces" | "browsers">,
): Workplace {
  const isHere = ["sandbox", "docker", "local"].includes(sandbox.backend);
  return workplaceOf({
    commands: sandbox.backend === "off" ? "off" : (workspaces.state ?? "untried"),
    browser: browser.enabled ? (browsers.state ?? "untried") : "off",
    folder: isHere ? (sandbox.folder ?? workspaceFolder) : undefined,
  });
}

export interface TryWorkplaceOptions extends Settings, Pick<ToolSettings, "hiddenFolders" | "clock" | "log"> {
  /** Machines of somebody else's service are tried too. */
  readonly paid: boolean;
  /** What the line says instead of `workspaceFolder`. */
  readonly shownFolder?: string;
}

export interface TriedWorkplace extends Pick<Workplace, "works" | "line"> {
  readonly remedies: readonly Remedy[];
}

/** Tries all of it now as a worker does, and leaves nothing running. Never rejects for what it finds. */
export async function tryWorkplace(options: TryWorkplaceOptions): Promise<TriedWorkplace> {
  const { config, workspaceFolder, hiddenFolders, clock, log, paid, shownFolder = workspaceFolder } = options;
  const workspaces = createWorkspaces({
    ...{ config: config.sandbox, folder: workspaceFolder, hidden: hiddenFolders, clock, log },
  });
  const hidden = [...hiddenFolders, workspaceFolder];
  const browsers = createBrowserKeeper({ config: config.browser, hidden, clock, log });
  try {
    const isTried = paid || !isPaid(config.sandbox.backend);
    await Promise.all([isTried && workspaces.usable(), browsers.usable()]);
    const remedies = [workspaces.state, browsers.state].flatMap((state) => state?.remedy ?? []);
    return { ...workplaceNow({ config, workspaceFolder: shownFolder }, { workspaces, browsers }), remedies };
  } finally {
    await Promise.all([workspaces.stop(), browsers.stop()]);
  }
}
