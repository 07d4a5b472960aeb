import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINK = /\]\(([^)\s]+)\)/g;

/**
 * The links of one Markdown file that lead to no file, or to no heading of one, as `link: what is missing`. Addresses
 * of other hosts are not asked.
 *
 * @param {string} file path of the Markdown file
 */
export function deadLinks(file) {
  const links = [...readFileSync(file, 'utf8').matchAll(LINK)].map(([, link]) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .flatMap((link) => {
      const [path, anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), decodeURIComponent(path));
      if (!existsSync(target)) return [`${link}: there is no such file`];
      if (anchor === undefined || statSync(target).isDirectory()) return [];
      return headingsOf(target).includes(anchor) ? [] : [`${link}: there is no such heading`];
    });
}

/** The anchors of a page as GitHub makes them of its headings. */
function headingsOf(file) {
  const prose = readFileSync(file, 'utf8').replace(/^ *```[^]*?^ *```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replace(/ /g, '-'),
  );
}
