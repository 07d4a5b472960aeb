import { Option } from 'commander';
import { wholeNumber } from './option-values';

/** `--page`, which asks for one page: flags that ask for several are refused beside it. */
export function onePage(help: string): Option {
  return new Option('--page <n>', `${help}; not with --all or --limit`)
    .argParser(wholeNumber(0))
    .conflicts(['all', 'limit']);
}
