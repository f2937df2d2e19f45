/**
 * Parses times in the form that Google shows in each language: "Nov 5, 2025, 10:21:33 AM CET", "2025/11/13 20:10:22
 * JST".
 */

interface Shape {
  /** The meaning of each number, in order. */
  numbers: readonly Intl.DateTimeFormatPartTypes[];
  /** From 1 if a word gives the month. */
  month: number | null;
  /** Null for a 24-hour clock. */
  isAfternoon: boolean | null;
}

/** Languages whose dates have ASCII digits and the Gregorian calendar. */
const LANGUAGES =
  'en en-GB en-AU en-CA en-IN en-NZ en-ZA af am az be bg bs ca cs cy da de de-AT el es es-419 es-AR es-MX es-US et eu fi fil fr ' +
  'fr-CA gl gu he hi hr hu hy id is it it-CH ja ka kk km kn ko ky lo lt lv mk ml mn ms nb nl pa pl pt pt-PT ro ru si sk sl sq ' +
  'sr sv sw ta te tr uk ur uz vi zh zh-HK zh-TW zu';

/**
 * Minutes from UTC. A name shared by several zones means the one with most people; the language decides China's CST.
 */
const ZONES =
  'utc:0 gmt:0 z:0 wet:0 west:60 bst:60 wat:60 cet:60 cest:120 mez:60 mesz:120 sast:120 cat:120 eet:120 ' +
  'eest:180 msk:180 trt:180 eat:180 gst:240 pkt:300 ist:330 npt:345 wib:420 ict:420 wita:480 hkt:480 sgt:480 ' +
  'pht:480 awst:480 jst:540 kst:540 wit:540 acst:570 aest:600 acdt:630 aedt:660 nzst:720 nzdt:780 brt:-180 ' +
  'art:-180 uyt:-180 clst:-180 adt:-180 ndt:-150 nst:-210 ast:-240 clt:-240 edt:-240 est:-300 cot:-300 ' +
  'pet:-300 cdt:-300 cst:-360 mdt:-360 mst:-420 pdt:-420 pst:-480 akdt:-480 akst:-540 hst:-600';
const OFFSETS = new Map(ZONES.split(' ').map((each) => each.split(':') as [string, string]));
const CHINA = 480;

/** The maximum length of a time. */
const LONGEST = 80;

/** Milliseconds since 1970; null for other texts, and for ambiguous ones. */
export function shownTime(text: string): number | null {
  if (text.length > LONGEST || !/\d[:.]\d\d[:.]\d\d/.test(text)) return null;
  const [, shown = '', zone = ''] = /^(.*) \[?([^ \]]+)\]?$/.exec(plain(text)) ?? [];
  const shape = (shapes ??= allShapes()).get(shapeOf(shown));
  const offset = zone === 'cst' && shown.includes('年') ? CHINA : offsetOf(zone);
  if (shape === undefined || shape === null || offset === null) return null;
  const numbers = shown.match(/\d+/g) ?? [];
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(numbers[shape.numbers.indexOf(type)]);
  const month = shape.month ?? number('month');
  const hour = shape.isAfternoon === null ? number('hour') : (number('hour') % 12) + (shape.isAfternoon ? 12 : 0);
  const time = new Date(Date.UTC(number('year'), month - 1, number('day'), hour, number('minute'), number('second')));
  // Refuse dates such as 31 June, and 25 o'clock.
  if (time.getUTCMonth() !== month - 1 || time.getUTCHours() !== hour) return null;
  return time.getTime() - offset * 60_000;
}

function offsetOf(zone: string): number | null {
  const [, sign, hours, minutes = '0'] = /^(?:gmt|utc)([+\-\u2212])(\d\d?):?(\d\d)?$/.exec(zone) ?? [];
  if (sign === undefined) return OFFSETS.has(zone) ? Number(OFFSETS.get(zone)) : null;
  return (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes));
}

/** Drops differences between versions of a language, mainly spaces and commas. Korean has both words. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace('오전', 'am')
    .replace('오후', 'pm')
    .replace(/[\s,\u200e\u200f]+/g, ' ')
    .trim();
}

function shapeOf(shown: string): string {
  return shown.replace(/\d{4}/g, 'yyyy').replace(/\d+/g, '#');
}

/** The form of each month in each language, created for the first time that is read; null for ambiguous ones. */
let shapes: Map<string, Shape | null> | undefined;

function allShapes(): Map<string, Shape | null> {
  const all = new Map<string, Shape | null>();
  for (const language of LANGUAGES.split(' ')) {
    const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'UTC',
    });
    const isHalved = format.resolvedOptions().hourCycle?.startsWith('h1') ?? false;
    for (let month = 0; month < 12; month++) {
      for (let hour = isHalved ? 0 : 20; hour < 24; hour += isHalved ? 1 : 24) {
        const parts = format.formatToParts(Date.UTC(2025, month, 15, hour));
        const numbers = parts.filter(({ value }) => /^\d+$/.test(value)).map(({ type }) => type);
        const shape: Shape = {
          numbers,
          month: numbers.includes('month') ? null : month + 1,
          isAfternoon: isHalved ? hour >= 12 : null,
        };
        const key = shapeOf(plain(parts.map(({ value }) => value).join('')));
        const known = all.get(key);
        const isOther = known !== undefined && JSON.stringify(known) !== JSON.stringify(shape);
        all.set(key, isOther ? null : shape);
      }
    }
  }
  return all;
}
