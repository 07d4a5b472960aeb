import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { given } from '../../api/json';
import { MEDIA_TYPES } from '../../api/media/media-filter';
import type { MediaFilter, SortRule } from '../../api/media/media-filter';
import { eachMedia } from '../../api/media/media-search';
import { withService, addHelp } from '../context';
import type { CliContext } from '../context';
import { collect, keyValue, wordOf } from '../flags/options';
import { limitOf, printList, withPageFlags } from '../output/print-records';
import type { PageFlags } from '../output/print-records';

const COLUMNS = ['id', 'mediaId', 'title', 'type', 'fileType', 'isLibrary', 'createdAt'];

const ONLY_WORDS = ['library', 'noLibrary', 'active', 'inactive'] as const;
const ONLY: Readonly<Record<(typeof ONLY_WORDS)[number], MediaFilter>> = {
  library: { isLibrary: true },
  noLibrary: { isLibrary: false },
  active: { isActive: true },
  inactive: { isActive: false },
};

interface SearchFlags extends PageFlags {
  readonly mediaId?: readonly string[];
  readonly type?: MediaFilter['type'];
  readonly tag?: ReadonlyArray<readonly [string, string]>;
  readonly only?: readonly (keyof typeof ONLY)[];
  readonly sort?: ReadonlyArray<ReturnType<typeof sortRule>>;
}

/** `media-service search`: api.md, "POST {base_url}/api/media/search". */
export function addSearch(program: Command, context: CliContext): void {
  const command = program
    .command('search')
    .description('Search media.')
    .argument('[term]', 'words of the title')
    .option('--media-id <id>', 'only this media item; repeatable', collect(String))
    .option('--type <type>', MEDIA_TYPES.join(', '), wordOf(MEDIA_TYPES))
    .option('--tag <key=value>', 'only media with this tag; repeatable', collect(keyValue))
    .option('--only <what>', `${ONLY_WORDS.join(', ')}; repeatable`, collect(wordOf(ONLY_WORDS)))
    .option('--sort <rule>', 'property[,ASC|DESC[,ignorecase]]; repeatable', collect(sortRule));
  withPageFlags(command, 'media');
  addHelp(command, 'Prints a table of the media found; with --json one media item per line.', [
    'media-service search harbour --type VIDEO --sort createdAt,DESC',
    'media-service search --only library --tag project=apollo --all --json | jq -r .id',
  ]).action(async (term: string | undefined, flags: SearchFlags) => {
    const request = { ...given({ sort: flags.sort }), signal: context.interrupts.first, ...limitOf(flags) };
    await withService(context, (service) =>
      printList(context.terminal, eachMedia(service, filterOf(term, flags), request), {
        ...{ row: (media) => media, columns: COLUMNS, noun: 'media item', flags },
      }),
    );
  });
}

function filterOf(term: string | undefined, flags: SearchFlags): MediaFilter {
  return {
    ...given({ ids: flags.mediaId, searchTerm: term, type: flags.type }),
    ...(flags.tag === undefined ? {} : { tags: Object.fromEntries(flags.tag) }),
    ...(flags.only ?? []).reduce((filter: MediaFilter, what) => ({ ...filter, ...ONLY[what] }), {}),
  };
}

/** Reads `title`, `title,DESC` or `title,ASC,ignorecase`: one rule of a search's order. */
export function sortRule(text: string): SortRule {
  const [property = '', ...words] = text.split(',').map((word) => word.trim());
  const upper = words.map((word) => word.toUpperCase());
  const direction = upper.find((word) => word === 'ASC' || word === 'DESC');
  const unknown = upper.filter((word) => word !== direction && word !== 'IGNORECASE');
  if (property === '' || unknown.length > 0) {
    throw new InvalidArgumentError('It must be property[,ASC|DESC[,ignorecase]].');
  }
  return {
    property,
    ...given({ direction }),
    ...(upper.includes('IGNORECASE') ? { ignoreCase: true } : {}),
  };
}
