import * as fc from 'fast-check';

/** What a transport receives instead of the valid answer. */
export interface BrokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const ODD_VALUES: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, Number.MAX_SAFE_INTEGER + 2],
  ...['', ' ', '0', '-1', '1e999', 'null', '\u0000', '\ud800', '\u202e', 'x'.repeat(10_000), '__proto__'],
  ...['constructor', 'COMPLETED', 'https://', 'http://[', 'file:///etc/passwd', 'javascript:1'],
  ...[[], {}, [[]], [null], [{}], { length: 3 }, { content: 1 }],
  JSON.parse('{"__proto__": {"isAdmin": true}, "toString": 1, "then": 2}') as Json,
];

const oddValue = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

/** Undefined deletes the value. */
type ValueChange = (value: Json) => Json | undefined;

const valueChange: fc.Arbitrary<ValueChange> = fc.oneof(
  { weight: 3, arbitrary: oddValue.map((odd) => (): Json => odd) },
  fc.constantFrom<ValueChange[]>(
    () => undefined,
    (value) => ({ data: value }),
    (value) => [value, value],
    withOtherNames,
  ),
);

function withOtherNames(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toUpperCase(), inner]));
}

/** Changes one value of a JSON, at a position that `at` selects. */
const jsonChange = fc.tuple(fc.nat(200), valueChange).map(([at, change]) => (json: Json): Json => {
  const text = JSON.stringify(json);
  let count = 0;
  JSON.parse(text, () => (count += 1));
  let number = -1;
  const changed = JSON.parse(text, (_name, value: Json) =>
    (number += 1) === at % count ? change(value) : value,
  ) as Json | undefined;
  return changed ?? null;
});

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
const textChange: fc.Arbitrary<(text: string) => string> = fc
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

/** Ways to turn an answer into bytes that are not valid JSON. */
const spoil = fc.constantFrom<((text: Buffer) => Uint8Array)[]>(
  (text) => text.subarray(0, Math.floor(text.length / 2)),
  (text) => Buffer.concat([text, text]),
  (text) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]),
  (text) => Buffer.from(text.toString(), 'utf16le'),
  (text) => Buffer.concat([text.subarray(0, 5), Buffer.from([0xff, 0xfe, 0x80]), text.subarray(5)]),
  () => new Uint8Array(),
  () => Buffer.from('<html><body>Sign in</body></html>'),
  () => Buffer.from('OK'),
  () => Buffer.from('[[[['.repeat(20_000)),
);

const status = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  fc.constantFrom(200, 201, 202, 204, 206, 301, 400, 401, 403, 404, 409, 429, 500, 503),
  fc.integer({ min: 200, max: 599 }),
);

const headers = fc.dictionary(
  fc.constantFrom(
    ...['retry-after', 'content-type', 'content-encoding', 'x-total-pages', 'x-total-elements', 'x-page'],
    ...['etag', 'date', 'location'],
  ),
  fc.constantFrom(
    ...['', '0', '-5', '1e9', 'soon', 'Wed, 21 Oct 2065 07:28:00 GMT', 'text/html', '"'],
    ...['"0123456789abcdef"', '//'],
  ),
  { maxKeys: 3 },
);

/** Turns a valid answer into one that differs in a few positions, or in everything. */
export type Breaking = (answer: ValidAnswer) => BrokenAnswer;

/** The body is JSON, or a text such as CSV or XML, which is broken as text. */
export type ValidAnswer = { readonly status: number; readonly headers?: BrokenAnswer['headers'] } & (
  { readonly json: Json } | { readonly text: string }
);

const upToFour = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 4 });

/** Breaks answers of JSON in their values, those of text, such as CSV and XML, in their words, and then perhaps as bytes. */
export const breaking: fc.Arbitrary<Breaking> = fc
  .record({
    values: upToFour(jsonChange),
    words: upToFour(textChange),
    spoil: fc.option(spoil, { freq: 6 }),
    status,
    headers,
  })
  .map((how) => (valid) => {
    const text =
      'json' in valid
        ? JSON.stringify(how.values.reduce((json, change) => change(json), valid.json))
        : how.words.reduce((text, change) => change(text), valid.text);
    const bytes = Buffer.from(text);
    return {
      status: how.status ?? valid.status,
      headers: { ...valid.headers, ...how.headers },
      body: how.spoil === null ? bytes : how.spoil(bytes),
    };
  });
