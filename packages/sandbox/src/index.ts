export type {
  DockerSettings,
  E2bSettings,
  NamespaceSettings,
  NetworkSettings,
  SandboxConfig,
  SandboxLimits,
  SshSettings,
} from "./config.ts";
export { defaultFolder, prepareDefaultFolder } from "./default-folder.ts";
export { type HostFile, readHostFile } from "./host-file.ts";
export { type OwnedFolder, ownFolder } from "./owned-folder.ts";
export type { PipedCommand, PipedProgram } from "./piped-program.ts";
export type { Cell } from "./place.ts";
export { plainWord } from "./quote.ts";
export { folderProblem } from "./sandbox/folder-problem.ts";
export { createSandbox, type Sandbox, type SandboxDeps } from "./sandbox.ts";
export type { SelfTest } from "./self-test.ts";
export type { Remedy } from "./workplace/lacking.ts";
export { missingPackage } from "./workplace/missing-programs.ts";
export { troubleWords, type Workplace, workplaceOf } from "./workplace/words.ts";
