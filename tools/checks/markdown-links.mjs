import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINK = /\]\(([^)\s]+)\)/g;

/**
 * Links of one Markdown file to a missing file or heading, as `link: what is missing`. Does not check links to other
 * hosts.
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

/** The anchors of a page, in GitHub's form for headings. */
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
