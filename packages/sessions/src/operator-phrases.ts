import { english } from "@talaria/words";

/** What operators read of trouble: `talaria` and the console speak English. */
export const operatorPhrases = english.problemPhrases;
