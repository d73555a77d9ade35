import {
  ada,
  answerTo,
  bob,
  type CorpusMail,
  firstMail,
  mailbox,
  quoted,
  type Somebody,
  us,
  wrapped,
} from "./corpus-mail.ts";
import type { Language } from "./language.ts";

const subject = "Room 12";

/** The mails that the widespread programs make of the same words in one language. */
export function mailsOf(language: Language): readonly CorpusMail[] {
  return [...answers(language), ...forwards(language)].map((mail) => ({
    ...mail,
    name: `${mail.name}, ${language.code}`,
  }));
}

function answers(language: Language): readonly CorpusMail[] {
  const { own, old, prefix, mobile } = language;
  const text = own.join("\n\n");
  const past = old.join("\n\n");
  const to = (whom: Somebody) => ({ thread: answerTo(whom, `${prefix.answer}: ${subject}`), seen: own });
  const line = (form: string, whom: Somebody) => form.replace("{who}", mailbox(whom));
  const gmail = line(language.gmail, us);
  const apple = line(language.apple, us);
  const outlook = head(language, us);
  const names = head(language, { ...us, address: "" });
  return [
    {
      name: "Gmail",
      ...to(us),
      text: `${text}\n\n${wrapped(gmail)}\n\n${quoted(old)}\n`,
      history: [...old, wrapped(gmail)],
    },
    {
      name: "Gmail, HTML",
      ...to(us),
      html: `<div dir="ltr">${own.join("<br><br>")}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${escaped(gmail)}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">${old.join("<br>")}</blockquote></div>`,
      history: [...old, gmail],
    },
    {
      name: "Gmail, to somebody else",
      ...to(bob),
      text: `${text}\n\n${wrapped(line(language.gmail, bob))}\n\n${quoted(old)}\n`,
      history: [...old, wrapped(line(language.gmail, bob))],
    },
    {
      name: "Apple Mail on a telephone",
      ...to(us),
      text: `${text}\n\n${mobile}\n\n> ${apple}\n> \n${quoted(old)}\n`,
      history: [...old, apple, mobile],
    },
    {
      name: "Apple Mail",
      ...to(us),
      text: `${text}\n\n${apple}\n\n${quoted(old)}\n`,
      history: [...old, apple],
    },
    {
      name: "Outlook",
      ...to(us),
      text: `${text}\n\n${outlook.join("\n")}\n\n${past}\n`,
      history: [...old, ...outlook],
    },
    {
      name: "Outlook, names alone",
      ...to(us),
      text: `${text}\n\n${names.join("\n")}\n\n${past}\n`,
      history: [...old, ...names],
    },
    {
      name: "Outlook, HTML",
      ...to(us),
      html: `<p class="MsoNormal">${own[0]}</p><p class="MsoNormal">${own[1]}</p><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal">${outlook.map((field) => `<b>${escaped(field).replace(":", ":</b>")}`).join("<br>")}</p></div><p class="MsoNormal">${old[0]}</p><p class="MsoNormal">${old[1]}</p>`,
      history: [...old, ...outlook],
    },
    {
      name: "Outlook in the web, to somebody else",
      ...to(bob),
      text: `${text}\n________________________________\n${head(language, bob).join("\n")}\n\n${past}\n`,
      history: [...old, ...head(language, bob)],
    },
  ];
}

function forwards(language: Language): readonly CorpusMail[] {
  const { own, old, prefix, forward, head: labels } = language;
  const text = own.join("\n\n");
  const past = old.join("\n\n");
  const fields = head(language, bob);
  const gmail = [
    `${labels[0]}: ${mailbox(bob)}`,
    `Date: ${language.sent}`,
    `Subject: ${subject}`,
    `To: <${ada.address}>`,
  ];
  return [
    {
      name: "Gmail, passed on",
      thread: firstMail(`Fwd: ${subject}`, true),
      text: `${text}\n\n---------- Forwarded message ---------\n${gmail.join("\n")}\n\n\n${past}\n`,
      seen: [...own, ...old, ...gmail],
      history: [],
    },
    {
      name: "Gmail, HTML, passed on under another subject",
      thread: firstMail(`${prefix.answer}: ${subject}`, true),
      html: `<div dir="ltr">${own.join("<br><br>")}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded message ---------<br>${gmail.map(escaped).join("<br>")}<br></div><br><br>${old.join("<br>")}</div>`,
      seen: [...own, ...old, ...gmail],
      history: [],
    },
    {
      name: "Outlook, HTML, passed on",
      thread: firstMail(`${prefix.forward}: ${subject}`, true),
      html: `<div>${own.join("</div><div>")}</div><hr style="display:inline-block;width:98%"><div dir="ltr"><font face="Calibri">${fields.map((field) => `<b>${escaped(field).replace(":", ":</b>")}`).join("<br>")}</font></div><div>${old.join("</div><div>")}</div>`,
      seen: [...own, ...old, ...fields],
      history: [],
    },
    {
      name: "Apple Mail, passed on under another subject",
      thread: firstMail(`${prefix.answer}: ${subject}`, true),
      text: `${text}\n\n> ${forward.apple}\n> \n${quoted(fields)}\n> \n${quoted(old)}\n`,
      seen: [...own, ...old, ...fields],
      history: [],
    },
    {
      name: "Outlook, passed on",
      thread: firstMail(`${prefix.forward}: ${subject}`, true),
      text: `${text}\n\n${fields.join("\n")}\n\n${past}\n`,
      seen: [...own, ...old, ...fields],
      history: [],
    },
    {
      name: "Thunderbird, passed on under another subject",
      thread: firstMail(`${prefix.answer}: ${subject}`, true),
      text: `${text}\n\n\n${forward.rule}\n${fields.map((field) => field.replace(": ", ": \t")).join("\n")}\n\n\n\n${past}\n`,
      seen: [...own, ...old],
      history: [],
    },
  ];
}

function head({ head: labels, sent }: Language, whom: Somebody): readonly string[] {
  const named = ({ name, address }: Somebody) => (address === "" ? name : mailbox({ name, address }));
  const values = [named(whom), sent, named(whom.address === "" ? whom : ada), subject];
  return labels.map((label, n) => `${label}: ${values[n]}`);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
