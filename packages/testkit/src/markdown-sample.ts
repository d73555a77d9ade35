/** One document with every piece of Markdown that a model writes, for the golden test of each dialect. */
export const markdownSample = `# Flight *plan*

Sandals **bold**, *slanted*, ~~gone~~, \`a < b\`, ***both*** and <b>raw</b> & 2 \\* 3.
A soft break  
and a hard one, [a link](https://example.org/a?b=1&c=2), [by name][ref], https://example.org/bare and [odd](javascript:1).

#### Small heading

> A quote
>
> > inside a quote
> - with a list

- one
  1. first
  2. second
- two

3. three
4. four
- [x] done
- [ ] open

\`\`\`ts
const a = "<&>"; // *not slanted*
\`\`\`

| name | wings |
| :--- | ----: |
| Ada  | **2** |
| 李   | \`a b\` |

![A picture](https://example.org/i.png)

---

Told[^1] @everyone <@1>.

[^1]: The reason.

[ref]: https://example.org/ref
`;
