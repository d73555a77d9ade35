import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** Modules of Node that reach nothing outside of the process. */
const harmless: ReadonlySet<string> = new Set([
  "assert",
  "assert/strict",
  "buffer",
  "crypto",
  "events",
  "path",
  "path/posix",
  "querystring",
  "stream",
  "stream/promises",
  "stream/web",
  "string_decoder",
  "timers",
  "timers/promises",
  "url",
  "util",
  "zlib",
]);

/** What the process has of its own and no tool may use. */
const taken = ["fetch", "WebSocket", "EventSource"] as const;
const takenOfProcess = ["kill", "binding", "_linkedBinding", "dlopen"] as const;

/**
 * Takes away what a tool has not declared: from here on, files of `folder` may import each other, zod, and modules of Node that
 * reach nothing. It keeps mistakes out, not an attacker: the tool's author is the operator. Gives the paths that are imported, as
 * they come.
 */
export function shutOff(folder: string, zod: string): ReadonlySet<string> {
  const files = new Set<string>();
  registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL?.startsWith(folder) !== true) return next(specifier, context);
      if (specifier === "zod") return next(zod, context);
      if (/^\.{0,2}\//.test(specifier) || specifier.startsWith("file:"))
        return within(next(specifier, context), folder);
      if (!harmless.has(specifier.replace(/^node:/, ""))) throw new Error(refusalOf(specifier));
      return next(specifier, context);
    },
    load(url, context, next) {
      if (!url.startsWith(folder)) return next(url, context);
      files.add(fileURLToPath(url));
      return next(url, url.endsWith(".ts") ? { ...context, format: "module-typescript" } : context);
    },
  });
  const scope = globalThis as unknown as Record<string, unknown>;
  for (const name of taken)
    scope[name] = () => refuse(`${name} is not there: declare handles.fetch and use context.fetch`);
  const own = process as unknown as Record<string, unknown>;
  for (const name of takenOfProcess) own[name] = () => refuse(`process.${name} is not there`);
  const builtin = process.getBuiltinModule.bind(process) as (name: string) => unknown;
  own.getBuiltinModule = (name: string) =>
    harmless.has(name.replace(/^node:/, "")) ? builtin(name) : refuse(refusalOf(name));
  return files;
}

function within<Resolved extends { readonly url: string }>(resolved: Resolved, folder: string): Resolved {
  if (resolved.url.startsWith(folder)) return resolved;
  throw new Error(`${fileURLToPath(resolved.url)} lies outside of the tools' folder`);
}

function refusalOf(specifier: string): string {
  return (
    `"${specifier}" can't be imported: a tool file has zod, other files of its folder, and modules of Node that reach nothing ` +
    "outside. For files and the web declare handles and use those of the context"
  );
}

function refuse(message: string): never {
  throw new Error(message);
}
