// Stands in for `node:test`: suites are entered, tests are noted and not run, hooks are left alone.

interface Noted {
  readonly title: string;
  readonly skipped?: string;
  readonly isEmpty: boolean;
}

interface Options {
  readonly skip?: boolean | string;
  readonly todo?: boolean | string;
}

type Body = (...given: never[]) => unknown;
type Given = readonly unknown[];

const noted: Noted[] = [];
const open: Promise<unknown>[] = [];
let suites: readonly { readonly title: string; readonly skipped: string | undefined }[] = [];

/** What was noted since the last call. */
export async function taken(): Promise<readonly Noted[]> {
  while (open.length > 0) await open.shift();
  return noted.splice(0);
}

function read(given: Given): { title: string; options: Options; body: Body | undefined } {
  const title = given.find((one) => typeof one === "string") ?? "";
  const options = given.find((one) => typeof one === "object" && one !== null) ?? {};
  const body = given.find((one) => typeof one === "function");
  return { title, options: options as Options, body: body as Body | undefined };
}

function reasonOf({ skip, todo }: Options): string | undefined {
  const given = skip || todo;
  if (given === undefined || given === false) return undefined;
  return typeof given === "string" ? given : "";
}

function note(given: Given, forced?: string): void {
  const { title, options, body } = read(given);
  const skipped = forced ?? reasonOf(options) ?? suites.map((suite) => suite.skipped).find((one) => one !== undefined);
  const titles = [...suites.map((suite) => suite.title), title];
  noted.push({ title: titles.join(" > "), ...(skipped === undefined ? {} : { skipped }), isEmpty: isEmpty(body) });
}

/** Nothing is called and nothing thrown: such a test can't fail. */
function isEmpty(body: Body | undefined): boolean {
  if (body === undefined) return true;
  const text = body.toString().replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const inside = text.slice(text.indexOf("=>") === -1 ? text.indexOf("{") : text.indexOf("=>") + 2);
  return !/[\w)\]]\s*\(|\bthrow\b/.test(inside);
}

function enter(given: Given, forced?: string): void {
  const { title, options, body } = read(given);
  const before = suites;
  suites = [...before, { title, skipped: forced ?? reasonOf(options) }];
  const result = body?.();
  if (result instanceof Promise) open.push(result);
  suites = before;
}

const asTest = Object.assign((...given: Given) => note(given), {
  skip: (...given: Given) => note(given, ""),
  todo: (...given: Given) => note(given, ""),
  only: (...given: Given) => note(given),
});
const asSuite = Object.assign((...given: Given) => enter(given), {
  skip: (...given: Given) => enter(given, ""),
  todo: (...given: Given) => enter(given, ""),
  only: (...given: Given) => enter(given),
});
const ignore = () => undefined;

export {
  asSuite as describe,
  asSuite as suite,
  asTest as it,
  asTest as test,
  ignore as after,
  ignore as afterEach,
  ignore as before,
  ignore as beforeEach,
};
export const mock = { method: ignore, fn: ignore, timers: { enable: ignore, reset: ignore }, restoreAll: ignore };
