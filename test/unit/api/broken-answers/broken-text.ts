import * as fc from 'fast-check';

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

/** Replaces or repeats a slice of a text, or swaps two of its tags, fields, separators or line breaks. */
export const textChange: fc.Arbitrary<(text: string) => string> = fc
  .record({
    from: position,
    to: fc.oneof(position, fc.constantFrom(0, 1_000)),
    how: fc.oneof(fc.constantFrom('repeat', 'swap'), fc.constantFrom(...ODD_TEXTS), fc.string()),
  })
  .map(({ from: one, to: other, how }) => (text) => {
    if (how === 'swap') return swapped(text, one, other);
    const [from = 0, to = 0] = [one, other].map((at) => positionIn(text.length, at)).sort((a, b) => a - b);
    const slice = text.slice(from, to);
    return text.slice(0, from) + (how === 'repeat' ? slice + slice : how) + text.slice(to);
  });

function swapped(text: string, one: number, other: number): string {
  const pieces = text.split(/(<[^<>]*>|["\r\n,;])/).filter((piece) => piece !== '');
  const [from, to] = [positionIn(pieces.length - 1, one), positionIn(pieces.length - 1, other)];
  return pieces.map((piece, at) => (at === from ? pieces[to] : at === to ? pieces[from] : piece)).join('');
}

function positionIn(length: number, thousandths: number): number {
  return Math.max(0, Math.round((length * thousandths) / 1_000));
}
