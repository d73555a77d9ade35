import { oneLine, plainText } from "@talaria/agent";
import type { Skill } from "./skill.ts";

const mostListed = 100;

/** What the model reads of a skill: its body, and which files there are besides. */
export function shownSkill({ body, compatibility, files }: Skill): string {
  const others = files.filter(({ path }) => path.toLowerCase() !== "skill.md");
  const listed = others.slice(0, mostListed).map(({ path, bytes }) => `- ${path} (${bytes.byteLength} bytes)`);
  const more = others.length - listed.length;
  return [
    plainText(body),
    ...(compatibility === undefined ? [] : [`It needs: ${plainText(oneLine(compatibility, 500))}`]),
    ...(listed.length === 0
      ? []
      : [
          [
            "Its files, which this tool reads by their path:",
            ...listed,
            ...(more > 0 ? [`and ${more} more`] : []),
          ].join("\n"),
        ]),
  ].join("\n\n");
}

/** Undefined: it has no such text file. The path has to be as it is listed. */
export function shownFile({ files }: Skill, path: string): string | undefined {
  const text = files.find((file) => file.path === path.replace(/^\.\//, ""))?.text;
  return text === undefined ? undefined : plainText(text);
}
