import { Option, type Command } from 'commander';
import { numberFrom } from './option-values';

/** Which records a search shows: one page, or with `all` or `limit` records from all pages. */
export interface PageFlags {
  readonly page?: number;
  readonly size?: number;
  readonly all?: boolean;
  readonly limit?: number;
}

interface Pages {
  /** Name of several records: `items`. */
  readonly noun: string;
  /** Help of --page. */
  readonly page: string;
  readonly minSize: number;
  /** Follows the range of --size. */
  readonly sizeNote?: string;
}

export function withPageFlags(command: Command, { noun, page, minSize, sizeNote = '' }: Pages): Command {
  return command
    .addOption(
      new Option('--page <n>', `${page}; not with --all or --limit`)
        .argParser(numberFrom(0))
        .conflicts(['all', 'limit']),
    )
    .option('--size <n>', `${noun} per page, ${minSize} to 1000${sizeNote}`, numberFrom(minSize, 1000))
    .option('--all', 'every page')
    .option('--limit <n>', `at most n ${noun}, across pages`, numberFrom(1));
}
