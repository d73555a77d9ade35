/** Sentences about a thing, in one language. `fill` and `aside` have nothing to do with what is asked, though the latter name things. */
export interface Tongue {
  readonly things: readonly string[];
  readonly absent: readonly string[];
  readonly places: readonly string[];
  readonly days: readonly string[];
  readonly fill: readonly string[];
  readonly aside: readonly ((thing: string, count: number) => string)[];
  readonly kept: (thing: string, place: string) => string;
  readonly whereTo: (thing: string) => string;
  readonly there: (place: string) => string;
  readonly whereIs: (thing: string) => string;
  readonly booked: (thing: string, day: string) => string;
  readonly moved: (thing: string, day: string) => string;
  readonly whenIs: (thing: string) => string;
  readonly repaired: (thing: string) => string;
  readonly whatRepaired: (thing: string) => string;
  readonly noise: readonly ((thing: string) => string)[];
  readonly whatNoise: (thing: string) => string;
}

const english: Tongue = {
  things:
    "bicycle boiler printer passport tent violin freezer sofa camera drill ladder piano greenhouse canoe router kettle".split(
      " ",
    ),
  absent: ["submarine", "harp", "parachute", "beehive"],
  places: [
    "behind the wardrobe",
    "in the blue box",
    "at my sister's",
    "under the stairs",
    "in the attic",
    "by the window",
  ],
  days: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
  fill: [
    "Good morning, how is the weather?",
    "I will cook soup tonight and then watch a film.",
    "Could you remind me to call my brother?",
    "Thanks, that is all for now.",
    "Of course, I have written it down for you.",
    "The train was late again and the office was cold.",
    "What should I put on the shopping list?",
    "Bread, butter and two kilos of apples, please.",
  ],
  aside: [
    (thing, count) => `A neighbour asked me whether a ${thing} costs ${count} euros.`,
    (thing, count) => `I read ${count} pages about the history of the ${thing}.`,
    (thing, count) => `Somebody will leave ${count} pictures of a ${thing} at the office.`,
    (thing, count) => `Look, ${count} people want such a ${thing} one day.`,
  ],
  kept: (thing, place) => `By the way, I keep the ${thing} ${place} now.`,
  whereTo: (thing) => `And where did you leave the ${thing} in the end?`,
  there: (place) => `It stands ${place}, where nobody trips over it.`,
  whereIs: (thing) => `Where did I leave the ${thing}?`,
  booked: (thing, day) => `The mechanic comes for the ${thing} on ${day}.`,
  moved: (thing, day) => `Change of plan: the mechanic looks at the ${thing} on ${day} instead.`,
  whenIs: (thing) => `On which day does the mechanic look at the ${thing}?`,
  repaired: (thing) => `We repaired the ${thing} today, it took three hours.`,
  whatRepaired: (thing) => `repairing the ${thing}`,
  noise: [
    (thing) => `The ${thing} makes a strange rattling noise.`,
    (thing) => `That rattling of the ${thing} woke me at night.`,
    (thing) => `No more noise: the ${thing} rattles only when it rains.`,
  ],
  whatNoise: (thing) => `How often did the ${thing} rattle?`,
};

const german: Tongue = {
  things:
    "Fahrrad Heizkessel Drucker Reisepass Zelt Geige Gefrierschrank Sofa Kamera Bohrmaschine Leiter Klavier Gewächshaus Kanu Router Wasserkocher".split(
      " ",
    ),
  absent: ["Unterseeboot", "Harfe", "Fallschirm", "Bienenstock"],
  places: [
    "hinter dem Schrank",
    "in der blauen Kiste",
    "bei meiner Schwester",
    "unter der Treppe",
    "auf dem Dachboden",
    "am Fenster",
  ],
  days: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"],
  fill: [
    "Guten Morgen, wie wird das Wetter heute?",
    "Ich koche heute Abend Suppe und schaue dann einen Film.",
    "Kannst du mich daran erinnern, meinen Bruder anzurufen?",
    "Danke, das ist alles für heute.",
    "Natürlich, ich habe es für dich aufgeschrieben.",
    "Der Zug war wieder zu spät und das Büro war kalt.",
    "Was soll ich auf die Einkaufsliste setzen?",
    "Brot, Butter und zwei Kilo Äpfel, bitte.",
  ],
  aside: [
    (thing, count) => `Ein Nachbar hat gefragt, ob ${thing} ${count} Euro kostet.`,
    (thing, count) => `Ich habe ${count} Seiten über ${thing} und die Geschichte gelesen.`,
    (thing, count) => `Jemand hat ${count} Bilder von ${thing} im Büro gelassen.`,
    (thing, count) => `Eines Tages wollen ${count} Leute auch ${thing} haben.`,
  ],
  kept: (thing, place) => `Übrigens habe ich jetzt ${thing} ${place} untergebracht.`,
  whereTo: (thing) => `Und wo hast du am Ende ${thing} gelassen?`,
  there: (place) => `Steht ${place}, wo niemand darüber fällt.`,
  whereIs: (thing) => `Wo habe ich ${thing} untergebracht oder gelassen?`,
  booked: (thing, day) => `Der Mechaniker kommt wegen ${thing} am ${day}.`,
  moved: (thing, day) => `Planänderung: der Mechaniker sieht sich ${thing} erst am ${day} an.`,
  whenIs: (thing) => `An welchem Tag kommt der Mechaniker für ${thing}?`,
  repaired: (thing) => `Heute haben wir ${thing} repariert, das hat drei Stunden gedauert.`,
  whatRepaired: (thing) => `${thing} reparieren`,
  noise: [
    (thing) => `${thing} macht ein seltsames klapperndes Geräusch.`,
    (thing) => `Das Klappern von ${thing} hat mich nachts geweckt.`,
    (thing) => `Kein Geräusch mehr: ${thing} klappert nur bei Regen.`,
  ],
  whatNoise: (thing) => `Wie oft hat ${thing} geklappert?`,
};

const japanese: Tongue = {
  things: "自転車 給湯器 印刷機 旅券 天幕 提琴 冷凍庫 長椅子 写真機 電動工具 梯子 洋琴 温室 小舟 無線機 湯沸かし".split(
    " ",
  ),
  absent: ["潜水艦", "竪琴", "落下傘", "養蜂箱"],
  places: ["押し入れの奥", "青い箱の中", "妹の家", "階段の下", "屋根裏", "窓のそば"],
  days: ["月曜日", "火曜日", "水曜日", "木曜日", "金曜日"],
  fill: [
    "おはようございます。今日の天気はどうですか。",
    "今夜はスープを作って、それから映画を見ます。",
    "兄に電話することを思い出させてください。",
    "ありがとう。今日はこれで終わりです。",
    "もちろんです。書いておきました。",
    "電車がまた遅れて、事務所は寒かったです。",
    "買い物の一覧に何を書きましょうか。",
    "パンとバターとりんごを二キロお願いします。",
  ],
  aside: [
    (thing, count) => `近所の人に${thing}は${count}ユーロかと聞かれました。`,
    (thing, count) => `${thing}の歴史について${count}ページ読みました。`,
    (thing, count) => `誰かが${thing}の写真を${count}枚事務所に置きました。`,
    (thing, count) => `いつか${count}人が${thing}を見に来るでしょう。`,
  ],
  kept: (thing, place) => `ちなみに${thing}は今${place}に置いてあります。`,
  whereTo: (thing) => `それで${thing}は結局どこに置きましたか。`,
  there: (place) => `${place}です。誰も転ばないように。`,
  whereIs: (thing) => `${thing}はどこに置きましたか。`,
  booked: (thing, day) => `${thing}の修理の人は${day}に来ます。`,
  moved: (thing, day) => `予定変更です。修理の人は${thing}を${day}に見に来ます。`,
  whenIs: (thing) => `修理の人は${thing}をいつ見に来ますか。`,
  repaired: (thing) => `今日${thing}を直しました。三時間かかりました。`,
  whatRepaired: (thing) => `${thing}を直しました`,
  noise: [
    (thing) => `${thing}から変な雑音がします。`,
    (thing) => `${thing}の雑音で夜に目が覚めました。`,
    (thing) => `雨の日だけ${thing}が雑音を出します。`,
  ],
  whatNoise: (thing) => `${thing}の雑音は何回ありましたか。`,
};

export const tongues: readonly Tongue[] = [english, german, japanese];
