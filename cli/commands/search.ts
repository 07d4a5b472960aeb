import type { Command } from 'commander';
import type { MediaFilter } from '../../api/media/media-filter';
import { MEDIA_TYPES } from '../../api/media/media-filter';
import { eachMedia, searchMedia } from '../../api/media/media-search';
import type { Service } from '../../api/service/service';
import { withService, type CliContext } from '../context';
import { addHelp } from '../command-help';
import { collect, keyValue, numberFrom, wordOf } from '../flags/option-values';
import { whileSlow } from '../output/while-slow';
import { onePage } from '../flags/page-flag';
import { printRecords, type Records } from '../output/print-records';
import { sortRule } from '../flags/sort-flag';

const COLUMNS = ['id', 'mediaId', 'title', 'type', 'fileType', 'isLibrary', 'createdAt'];
const VIEW = { columns: COLUMNS, noun: 'media item' };

interface SearchFlags {
  readonly id?: readonly string[];
  readonly type?: MediaFilter['type'];
  readonly tag?: ReadonlyArray<readonly [string, string]>;
  readonly library?: boolean;
  readonly active?: boolean;
  readonly sort?: ReadonlyArray<ReturnType<typeof sortRule>>;
  readonly page?: number;
  readonly size?: number;
  readonly all?: boolean;
  readonly limit?: number;
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
    .option('--sort <rule>', 'property[,ASC|DESC[,ignorecase]]; repeatable', collect(sortRule))
    .addOption(onePage('page, from 0'))
    .option('--size <n>', 'items per page, 0 to 1000 (service default: 20)', numberFrom(0, 1000))
    .option('--all', 'every page')
    .option('--limit <n>', 'at most n items, across pages', numberFrom(1));
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
    ...(flags.id === undefined ? {} : { ids: flags.id }),
    ...(term === undefined ? {} : { searchTerm: term }),
    ...(flags.type === undefined ? {} : { type: flags.type }),
    ...(flags.tag === undefined ? {} : { tags: Object.fromEntries(flags.tag) }),
    ...(flags.library === undefined ? {} : { isLibrary: flags.library }),
    ...(flags.active === undefined ? {} : { isActive: flags.active }),
  };
}

async function search(context: CliContext, filter: MediaFilter, flags: SearchFlags): Promise<void> {
  const { terminal, interrupts } = context;
  const view = { ...VIEW, json: flags.json === true };
  const request = {
    ...(flags.size === undefined ? {} : { size: flags.size }),
    ...(flags.sort === undefined ? {} : { sort: flags.sort }),
    signal: interrupts.first,
  };
  const recordsOf = (service: Service): Records => ({
    page: (which) => searchMedia(service, filter, { ...request, ...which }),
    each: (limits) => eachMedia(service, filter, { ...request, ...limits }),
  });
  await withService((service) =>
    whileSlow(context, view, () => printRecords(terminal, recordsOf(service), { ...view, flags })),
  );
}
