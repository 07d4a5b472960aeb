import * as fc from 'fast-check';

/** Changes a text at positions that the property chose. */
export type TextChange = (text: string) => string;

/** Pieces that mean something in CSV or XML, or are of no use in either. */
const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '"', '""', ',', ';', '\t', '\n', '\r', '\r\n', '\n\n', '\u0000', '\ud800', '\u202e', '\ufeff'],
  ...['<', '>', '&', '<Code>', '</Code>', '<Message>', '</Message>', '<code>', '<![CDATA[', ']]>', '<!--'],
  ...['<Code>SlowDown</Code>', '<Code>NoSuchUpload</Code>', '<Message>Request has expired</Message>'],
  ...['x'.repeat(10_000), 'word '.repeat(2_000), '","'.repeat(5_000), '<a>'.repeat(5_000)],
  ...['https://storage.example.com/film?X-Amz-Credential=AKIA', 'id,status\n', 'FAILED', '=1+1'],
];

/** A position in any text, from 0 (its start) to 1,000 (its end). */
const position = fc.nat(1_000);

export const textChange: fc.Arbitrary<TextChange> = fc.oneof(
  fc.tuple(position, position).map((both) => sliced(both, () => '')),
  fc.tuple(position, position).map((both) => sliced(both, (slice) => slice + slice)),
  fc
    .tuple(position, position, fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string()))
    .map(([from, to, odd]) => sliced([from, to], () => odd)),
  fc.tuple(position, fc.constantFrom(...ODD_TEXTS)).map(([at, odd]) => sliced([at, at], () => odd)),
  fc.tuple(position, position).map(
    ([one, other]) =>
      (text: string) =>
        swapped(text, one, other),
  ),
  position.map((end) => (text: string) => text.slice(0, positionIn(text.length, end))),
);

function sliced([one, other]: readonly [number, number], replace: (slice: string) => string): TextChange {
  return (text) => {
    const from = positionIn(text.length, Math.min(one, other));
    const to = positionIn(text.length, Math.max(one, other));
    return text.slice(0, from) + replace(text.slice(from, to)) + text.slice(to);
  };
}

/** Swaps two tags, fields, separators or line breaks. */
function swapped(text: string, one: number, other: number): string {
  const pieces = text.split(/(<[^<>]*>|["\r\n,;])/).filter((piece) => piece !== '');
  const [from, to] = [positionIn(pieces.length - 1, one), positionIn(pieces.length - 1, other)];
  return pieces.map((piece, at) => (at === from ? pieces[to] : at === to ? pieces[from] : piece)).join('');
}

function positionIn(length: number, thousandths: number): number {
  return Math.max(0, Math.round((length * thousandths) / 1_000));
}
