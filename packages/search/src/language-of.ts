import { isEnding } from "./words-of.ts";

/** Languages by the names of PostgreSQL's configurations, with the words that nearly every sentence of them has, without accents. */
const frequent = {
  english:
    "the a an and or but of to in on at for with is are was were be been it this that i you we they he she my your our what when where who how do does did have has not will would can about from as so if there which",
  german:
    "der die das ein eine einen einem einer und oder aber von zu im in am auf fur mit ist sind war waren es ich du wir ihr sie er mein dein unser was wann wo wer wie hat haben habe nicht wird wurde kann uber aus als wenn dass den dem des noch auch nur schon",
  spanish:
    "el la los las un una unos y o pero de del al en con por para es son era fue ser esta esto ese que yo tu nosotros ellos mi su nuestro cuando donde quien como hay no se le lo me te nos ha han he muy mas ya si porque cual",
  french:
    "le la les un une des et ou mais de du au aux en dans avec pour par est sont etait c je tu nous vous ils elle mon ton notre que qui quand comment ne pas se ce cette sur a ont plus si j l d s n",
  italian:
    "il lo la i gli le un una e o ma di del della al alla in con per da sono era che chi quando dove come non si ci mi ti ho ha hanno questo questa piu se io tu noi loro mio tuo",
  portuguese:
    "o a os as um uma e ou mas de do da dos das no na em com por para e sao era foi que quem quando onde como nao se me te nos eu voce eles meu seu nosso este esta mais ja tem ha",
  dutch:
    "de het een en of maar van te in op aan voor met is zijn was waren ik jij je wij we zij hij mijn jouw ons wat wanneer waar wie hoe niet wordt kan over uit als dat die dit er ook nog naar heb heeft",
  russian:
    "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему когда где кто мы это для",
} as const;

export type Language = keyof typeof frequent;

const languages = Object.entries(frequent).map(
  ([name, words]) => [name as Language, new Set(words.split(" "))] as const,
);

/** A single one may be anything: "a" and "y" are words of several languages, and names. */
const leastFrequent = 2;

/** The language with the most of its frequent words among these. Undefined: there are too few, or two languages have as many. */
export function languageOf(words: readonly string[]): Language | undefined {
  const [first, second] = languages
    .map(([language, known]) => ({ language, count: words.filter((word) => known.has(word)).length }))
    .sort((one, other) => other.count - one.count);
  return first !== undefined && first.count >= leastFrequent && first.count > (second?.count ?? 0)
    ? first.language
    : undefined;
}

/** Whether a word tells nothing in a question of this language. */
export function isFrequent(word: string, language: Language | undefined): boolean {
  return isEnding(word) || languages.some(([name, known]) => name === language && known.has(word));
}
