const aliases = 2;

/** Slack's names of reactions and the characters they stand for; the aliases come last. */
const table = `
eyes 👀  hourglass_flowing_sand ⏳  hourglass ⌛  white_check_mark ✅  x ❌  +1 👍  -1 👎  heart ❤️  tada 🎉  fire 🔥
rocket 🚀  joy 😂  smile 😄  grinning 😀  smiley 😃  grin 😁  laughing 😆  sweat_smile 😅
rolling_on_the_floor_laughing 🤣  slightly_smiling_face 🙂  wink 😉  blush 😊  heart_eyes 😍  kissing_heart 😘
yum 😋  thinking_face 🤔  neutral_face 😐  expressionless 😑  unamused 😒  face_with_rolling_eyes 🙄  grimacing 😬
sleeping 😴  mask 😷  exploding_head 🤯  sunglasses 😎  nerd_face 🤓  confused 😕  worried 😟  open_mouth 😮
astonished 😲  flushed 😳  pleading_face 🥺  cry 😢  sob 😭  scream 😱  disappointed 😞  weary 😩  tired_face 😫
angry 😠  rage 😡  face_with_symbols_on_mouth 🤬  skull 💀  hankey 💩  clown_face 🤡  ghost 👻  robot_face 🤖
wave 👋  raised_hand ✋  ok_hand 👌  v ✌️  crossed_fingers 🤞  point_left 👈  point_right 👉  point_up_2 👆
point_down 👇  fist ✊  facepunch 👊  clap 👏  raised_hands 🙌  open_hands 👐  handshake 🤝  pray 🙏  muscle 💪
writing_hand ✍️  brain 🧠  speech_balloon 💬  thought_balloon 💭  zzz 💤  100 💯  boom 💥  sparkles ✨  star ⭐
star2 🌟  zap ⚡  sunny ☀️  rainbow 🌈  snowflake ❄️  coffee ☕  beer 🍺  beers 🍻  pizza 🍕  cake 🍰  birthday 🎂
gift 🎁  trophy 🏆  medal 🏅  dart 🎯  bulb 💡  mag 🔍  lock 🔒  unlock 🔓  key 🔑  hammer 🔨  wrench 🔧  gear ⚙️
link 🔗  paperclip 📎  pushpin 📌  memo 📝  pencil2 ✏️  book 📖  books 📚  calendar 📅  chart_with_upwards_trend 📈
chart_with_downwards_trend 📉  bar_chart 📊  email 📧  package 📦  telephone_receiver 📞  bell 🔔  no_bell 🔕
loudspeaker 📢  computer 💻  bug 🐛  warning ⚠️  no_entry ⛔  no_entry_sign 🚫  octagonal_sign 🛑  question ❓
exclamation ❗  bangbang ‼️  interrobang ⁉️  heavy_check_mark ✔️  ballot_box_with_check ☑️  heavy_plus_sign ➕
heavy_minus_sign ➖  arrows_counterclockwise 🔄  repeat 🔁  red_circle 🔴  large_green_circle 🟢
large_yellow_circle 🟡  large_blue_circle 🔵  white_circle ⚪  black_circle ⚫  broken_heart 💔  orange_heart 🧡
yellow_heart 💛  green_heart 💚  blue_heart 💙  purple_heart 💜  hugging_face 🤗  saluting_face 🫡  shrug 🤷
face_palm 🤦  see_no_evil 🙈  hear_no_evil 🙉  speak_no_evil 🙊  unicorn_face 🦄  moyai 🗿  strawberry 🍓  banana 🍌
hotdog 🌭  champagne 🍾  whale 🐳  dove_of_peace 🕊️  jack_o_lantern 🎃  christmas_tree 🎄  snowman ⛄
alarm_clock ⏰  stopwatch ⏱️  seedling 🌱  inbox_tray 📥  outbox_tray 📤  wastebasket 🗑️  construction 🚧
traffic_light 🚦  musical_note 🎵  camera 📷  movie_camera 🎥  microphone 🎤  headphones 🎧
globe_with_meridians 🌐  moneybag 💰  chart 💹  ok 🆗  new 🆕  sos 🆘  thumbsup 👍  thumbsdown 👎`
  .trim()
  .split(/\s{2,}|\n/)
  .map((pair) => pair.split(" ") as [name: string, emoji: string]);

const skinTones = /[\u{1F3FB}-\u{1F3FF}]/u;
const emojiByName = new Map(table);
const nameByEmoji = new Map(table.slice(0, -aliases).map(([name, emoji]) => [bare(emoji), name]));

/** Slack's name of one Unicode emoji; undefined when we know none. */
export function reactionName(emoji: string): string | undefined {
  const tone = skinTones.exec(emoji)?.[0].codePointAt(0);
  const name = nameByEmoji.get(bare(emoji.replace(skinTones, "")));
  if (name === undefined || tone === undefined) return name;
  return `${name}::skin-tone-${tone - 0x1f3fb + 2}`;
}

/** The character of a reaction, else its name between colons, as people write it. */
export function reactionEmoji(name: string): string {
  const [plain = "", tone] = name.split("::skin-tone-");
  const emoji = emojiByName.get(plain);
  if (emoji === undefined) return `:${name.replaceAll(/[^\w+'-]/g, "").slice(0, 100)}:`;
  return /^[2-6]$/.test(tone ?? "") ? `${bare(emoji)}${String.fromCodePoint(0x1f3fb + Number(tone) - 2)}` : emoji;
}

/** Without the sign that asks for the coloured form. */
function bare(emoji: string): string {
  return emoji.replaceAll("\uFE0F", "");
}
