import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { given } from '../../api/json';
import { MEDIA_TYPES } from '../../api/media/media-filter';
import type { MediaFilter, SortRule } from '../../api/media/media-filter';
import { eachMedia, searchMedia } from '../../api/media/media-search';
import type { Service } from '../../api/service/service';
import { withService } from '../context';
import type { CliContext } from '../context';
import { addHelp } from '../command-help';
import { collect, keyValue, wordOf } from '../flags/option-values';
import { whileSlow } from '../output/terminal';
import { printRecords, withPageFlags } from '../output/print-records';
import type { PageFlags, Records } from '../output/print-records';

const COLUMNS = ['id', 'mediaId', 'title', 'type', 'fileType', 'isLibrary', 'createdAt'];
const VIEW = { columns: COLUMNS, noun: 'media item' };

interface SearchFlags extends PageFlags {
  readonly id?: readonly string[];
  readonly type?: MediaFilter['type'];
  readonly tag?: ReadonlyArray<readonly [string, string]>;
  readonly library?: boolean;
  readonly active?: boolean;
  readonly sort?: ReadonlyArray<ReturnType<typeof sortRule>>;
  readonly json?: boolean;
}

/** `media-service search`: api.md, "POST {base_url}/api/media/search". */
export function addSearch(program: Command, context: CliContext): void {
  const command = program
    .command('search')
    .description('Search media.')
    .argument('[term]', 'words of the title')
    .option('--id <id>', 'only this media id; repeatable', collect(String))
    .option('--type <type>', MEDIA_TYPES.join(', '), wordOf(MEDIA_TYPES))
    .option('--tag <key=value>', 'only media with this tag; repeatable', collect(keyValue))
    .option('--library', 'only library media')
    .option('--no-library', 'only media outside the library')
    .option('--active', 'only active media')
    .option('--no-active', 'only inactive media')
    .option('--sort <rule>', 'property[,ASC|DESC[,ignorecase]]; repeatable', collect(sortRule));
  withPageFlags(command, {
    noun: 'items',
    page: 'page, from 0',
    minSize: 0,
    sizeNote: ' (service default: 20)',
  });
  addHelp(command, {
    output:
      'A table of the media found.\n' +
      '--json: one page is one document {"items":[…],"page","size","totalElements","totalPages"}; ' +
      'with --all or --limit one item per line.',
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK'],
    examples: [
      {
        says: 'Newest videos about a harbour',
        run: 'media-service search harbour --type VIDEO --sort createdAt,DESC',
      },
      {
        says: 'Ids of all library media of a project',
        run: 'media-service search --library --tag project=apollo --all --json | jq -r .id',
      },
    ],
  }).action((term: string | undefined, flags: SearchFlags) => search(context, filterOf(term, flags), flags));
}

function filterOf(term: string | undefined, flags: SearchFlags): MediaFilter {
  return {
    ...given({ ids: flags.id, searchTerm: term, type: flags.type }),
    ...(flags.tag === undefined ? {} : { tags: Object.fromEntries(flags.tag) }),
    ...given({ isLibrary: flags.library, isActive: flags.active }),
  };
}

async function search(context: CliContext, filter: MediaFilter, flags: SearchFlags): Promise<void> {
  const { terminal, interrupts } = context;
  const view = { ...VIEW, json: flags.json === true };
  const request = {
    ...given({ size: flags.size, sort: flags.sort }),
    signal: interrupts.first,
  };
  const recordsOf = (service: Service): Records => ({
    page: (which) => searchMedia(service, filter, { ...request, ...which }),
    each: (limits) => eachMedia(service, filter, { ...request, ...limits }),
  });
  await withService(context, (service) =>
    whileSlow(context, view, () => printRecords(terminal, recordsOf(service), { ...view, flags })),
  );
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
