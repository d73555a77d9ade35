import { type Tongue, tongues } from "./tongues.fixture.ts";

const conversations = 20;
const sittings = 15;
const linesOfSitting = 20;
const dayMs = 86_400_000;
const minuteMs = 60_000;
const first = Date.parse("2026-03-02T18:00:00.000Z");

export interface Line {
  readonly person: string;
  readonly id: string;
  /** The agent says every second line. */
  readonly isOurs: boolean;
  readonly at: number;
  readonly text: string;
}

export interface Question {
  readonly kind: "fact" | "update" | "time" | "several" | "nothing";
  readonly person: string;
  readonly text: string;
  readonly since?: number;
  readonly until?: number;
  /** One of these lines is the answer; none, where there is nothing. */
  readonly right: readonly Line[];
  /** What no hit may hold, where there is nothing. */
  readonly absent?: string;
}

/** The same twenty conversations of 300 lines each time, with ten questions about each. */
export function evaluationSet(): { readonly lines: readonly Line[]; readonly questions: readonly Question[] } {
  const all = Array.from({ length: conversations }, (_, n) => conversation(n));
  return { lines: all.flatMap(({ lines }) => lines), questions: all.flatMap(({ questions }) => questions) };
}

function conversation(number: number) {
  const person = `p${number}`;
  const tongue = tongues[number % tongues.length] as Tongue;
  const random = numbersFrom(number + 1);
  const pick = <One>(from: readonly One[]): One => from[Math.floor(random() * from.length)] as One;
  const things = shuffled(tongue.things.length, random)
    .map((n) => tongue.things[n] as string)
    .slice(0, 9);
  const filled = () =>
    random() < 0.5 ? pick(tongue.fill) : pick(tongue.aside)(pick(things), Math.floor(20 + 900 * random()));
  const texts = Array.from({ length: sittings * linesOfSitting }, filled);
  const free = shuffled(texts.length / 4, random).map((n) => 4 * n);
  const line = (n: number): Line => {
    const [sitting, place] = [Math.floor(n / linesOfSitting), n % linesOfSitting];
    const at = first + (number / 100 + 3 * sitting) * dayMs + place * 2 * minuteMs;
    return { person, id: `${person}-${n}`, isOurs: n % 2 === 1, at, text: texts[n] as string };
  };
  /** Puts these lines somewhere, one after the other in time, each in a place of its own. */
  const put = (...said: readonly string[]): readonly Line[] => {
    const places = free.splice(0, said.length).sort((one, other) => one - other);
    for (const [n, place] of places.entries()) texts[place] = said[n] as string;
    return places.map(line);
  };
  const asked = [...things];
  const next = () => asked.shift() as string;
  const questions: Question[] = [];
  const asks = (kind: Question["kind"], text: string, right: readonly Line[], more: Partial<Question> = {}) =>
    questions.push({ kind, person, text, right, ...more });

  for (let n = 0; n < 2; n += 1) {
    const thing = next();
    asks("fact", tongue.whereIs(thing), put(tongue.kept(thing, pick(tongue.places))));
  }
  const left = next();
  const [question] = put(tongue.whereTo(left));
  const answer = Number(question?.id.split("-")[1]) + 1;
  texts[answer] = tongue.there(pick(tongue.places));
  asks("fact", tongue.whereIs(left), [line(answer)]);
  for (let n = 0; n < 2; n += 1) {
    const thing = next();
    const [, moved] = put(tongue.booked(thing, pick(tongue.days)), tongue.moved(thing, pick(tongue.days)));
    asks("update", tongue.whenIs(thing), moved === undefined ? [] : [moved]);
  }
  for (let n = 0; n < 2; n += 1) {
    const thing = next();
    const [once] = put(tongue.repaired(thing), tongue.repaired(thing));
    if (once !== undefined)
      asks("time", tongue.whatRepaired(thing), [once], { since: once.at - dayMs, until: once.at + dayMs });
  }
  for (let n = 0; n < 2; n += 1) {
    const thing = next();
    asks("several", tongue.whatNoise(thing), put(...tongue.noise.map((noise) => noise(thing))));
  }
  const absent = pick(tongue.absent);
  asks("nothing", tongue.whereIs(absent), [], { absent });
  return { lines: texts.map((_, n) => line(n)), questions };
}

/** Numbers from 0 to 1, the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed * 7_919;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function shuffled(count: number, random: () => number): number[] {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return numbers
    .map((n) => ({ n, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ n }) => n);
}
