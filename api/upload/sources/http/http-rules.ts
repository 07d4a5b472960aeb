import { ValidationError } from '../../../errors';
import { fileNameOfUrl, labelOf } from '../source';
import type { HttpSource } from '../source';
import type { AddressOptions, SourceRules } from '../read-source';

export const HTTP_RULES: SourceRules<HttpSource> = {
  reportsType: true,
  address: { schemes: ['http', 'https'], parse },
  /** Whoever starts an upload checks the address before it is sealed. */
  check: refuseFragment,
  label: ({ label }) => label,
  fileName: ({ fileName, url }) => fileName ?? fileNameOfUrl(String(url)),
  /** A sealed address shows only its label. */
  meaning(source) {
    const url = plainUrl(source);
    return [url === undefined ? source.label : url.origin + url.pathname, source.fileName, source.bytes];
  },
  url: plainUrl,
};

function plainUrl({ url }: HttpSource): URL | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
}

/** No server sees it: of `Take #1.mp4` and `Take #2.mp4` it would send the same file. */
function refuseFragment(source: HttpSource): void {
  if ((plainUrl(source)?.hash ?? '') === '') return;
  throw new ValidationError(
    'source',
    "the address holds a #, and what follows it isn't sent to a server",
    'Write # as %23 if it belongs to the name; otherwise remove it and what follows.',
  );
}

function parse(url: string, { secret }: AddressOptions): HttpSource {
  if (!URL.canParse(url)) {
    throw new ValidationError(
      'source',
      'the address is not a URL',
      'Write it in full, as https://host/file.mp4.',
    );
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw new ValidationError(
      'source',
      'the address holds a user name or a password',
      'Remove them; headers for sources come from a named secret.',
    );
  }
  return {
    kind: 'http',
    url,
    label: labelOf(url),
    ...(secret === undefined ? {} : { headersSecret: secret }),
  };
}
