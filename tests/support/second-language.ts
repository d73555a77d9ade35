import { addLanguage } from "@talaria/words";
import { invented } from "../../packages/words/src/testing/invented.ts";

/** Loaded before a program of ours (`node --import`): all that it says to people is there in a second language. */
addLanguage("tlh", invented);
