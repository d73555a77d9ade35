/**
 * What stands beside the code and gives it `call`. A request is a file `<number>.request.json` and a line on standard output with a
 * mark and the number; the answer is a file `<number>.response.json`, which appears whole. Both are JSON-RPC 2.0.
 */
export interface Language {
  /** Of the code. */
  readonly file: string;
  readonly client: { readonly file: string; readonly text: string };
  /** In the folder with both files. */
  command(folder: string): readonly [string, ...string[]];
}

const python = `import builtins, json, os, runpy, sys, threading, time

_folder, _mark = os.environ.pop("CALL_FOLDER"), os.environ.pop("CALL_MARK")
_lock, _count = threading.Lock(), 0


class ToolError(Exception):
    pass


def call(name, **arguments):
    global _count
    with _lock:
        _count += 1
        number = _count
    place = f"{_folder}/{number}"
    with open(place + ".request.json", "w", encoding="utf-8") as file:
        json.dump({"jsonrpc": "2.0", "id": number, "method": name, "params": arguments}, file)
    sys.stdout.flush()
    os.write(1, f"\\n{_mark} {number}\\n".encode())
    pause = 0.005
    while not os.path.exists(place + ".response.json"):
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)
    with open(place + ".response.json", encoding="utf-8") as file:
        answer = json.load(file)
    if "error" in answer:
        raise ToolError(answer["error"]["message"])
    return answer["result"]["content"]


builtins.call, builtins.ToolError = call, ToolError
runpy.run_path(f"{_folder}/main.py", run_name="__main__")
`;

const node = `import { access, readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
const { CALL_FOLDER: folder, CALL_MARK: mark } = process.env;
delete process.env.CALL_FOLDER;
delete process.env.CALL_MARK;
let count = 0;
globalThis.ToolError = class ToolError extends Error {};
globalThis.call = async (name, params = {}) => {
  const number = (count += 1);
  const place = folder + "/" + number;
  await writeFile(place + ".request.json", JSON.stringify({ jsonrpc: "2.0", id: number, method: name, params }));
  await new Promise((done) => process.stdout.write("\\n" + mark + " " + number + "\\n", done));
  const isThere = () => access(place + ".response.json").then(() => true, () => false);
  for (let pause = 5; !(await isThere()); pause = Math.min(100, pause * 1.5)) await sleep(pause);
  const answer = JSON.parse(await readFile(place + ".response.json", "utf8"));
  if (answer.error !== undefined) throw new ToolError(answer.error.message);
  return answer.result.content;
};
await import(folder + "/main.mjs");
`;

export const languages = {
  python: {
    file: "main.py",
    client: { file: "client.py", text: python },
    command: (folder) => ["python3", "-u", `${folder}/client.py`],
  },
  node: {
    file: "main.mjs",
    client: { file: "client.mjs", text: node },
    command: (folder) => ["node", `${folder}/client.mjs`],
  },
} as const satisfies Readonly<Record<string, Language>>;
