import type { Command } from 'commander';
import { given } from '../../api/json';
import type { MediaFilter } from '../../api/media/media-filter';
import { eachMedia } from '../../api/media/media-search';
import { SEARCH_OPTIONS } from '../../api/options/search-options';
import { withService, addHelp } from '../context';
import type { CliContext } from '../context';
import { collect, optionsIn, withOptions, wordOf } from '../flags/options';
import type { FlagValues } from '../flags/options';
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

interface SearchFlags extends PageFlags, FlagValues {
  readonly only?: ReadonlyArray<keyof typeof ONLY>;
}

/** `media-service search`: api.md, "POST {base_url}/api/media/search". */
export function addSearch(program: Command, context: CliContext): void {
  const command = program
    .command('search')
    .description('Search media.')
    .argument(SEARCH_OPTIONS.searchTerm.flag, 'words of the title, matched flexibly')
    .option('--only <what>', `${ONLY_WORDS.join(', ')}; repeatable`, collect(wordOf(ONLY_WORDS)));
  withOptions(command, SEARCH_OPTIONS);
  withPageFlags(command, 'media');
  addHelp(command, 'Prints a table of the media found; with --json one media item per line.', [
    'media-service search harbour --type VIDEO --sort createdAt,DESC',
    'media-service search --only library --tag project=apollo --all --json | jq -r .id',
  ]).action(async (term: string | undefined, flags: SearchFlags) => {
    const { sort, ...filter } = optionsIn(flags, SEARCH_OPTIONS);
    const asked = (flags.only ?? []).reduce<MediaFilter>((before, what) => ({ ...before, ...ONLY[what] }), {
      ...filter,
      ...given({ searchTerm: term }),
    });
    const request = { ...given({ sort }), ...limitOf(flags), signal: context.interrupts.first };
    await withService(context, (service) =>
      printList(context.terminal, eachMedia(service, asked, request), {
        ...{ row: (media) => media, columns: COLUMNS, noun: 'media item', flags },
      }),
    );
  });
}
