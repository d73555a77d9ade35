export { dropAlike } from "./drop-alike.ts";
export { type Language, languageOf } from "./language-of.ts";
export { type ParsedQuery, parseQuery } from "./parse-query.ts";
export { bestLines, bestSittings, type FoundLine, rankLines, type ScoredLine, type Sitting } from "./rank-lines.ts";
export {
  bm25,
  type Corpus,
  type Counted,
  fuseRanks,
  lendToNeighbours,
  type Scored,
  sessionScore,
} from "./rank-messages.ts";
export { type SoughtWord, signsOf, soughtWordsOf, wordsOf } from "./words-of.ts";
