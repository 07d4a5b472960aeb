/**
 * What is missing in CHANGELOG.md for this version: a heading `## 1.2.3 (2026-11-30)`, with at least one change below
 * it.
 * @param {string} changelog
 * @param {string} version
 */
export function changelogFindings(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) return [`CHANGELOG.md: ${version} is missing: add "## ${version} (DATE)".`];
  const [heading = '', ...lines] = section.split('\n');
  const [, date] = /\((.*)\)/.exec(heading) ?? [];
  return [
    ...(/^\d{4}-\d{2}-\d{2}$/.test(date ?? '')
      ? []
      : [`CHANGELOG.md: ${version} is "${date ?? 'undated'}": put the date of the release there.`]),
    ...(lines.some((line) => line.startsWith('- ')) ? [] : [`CHANGELOG.md: ${version} names no change.`]),
  ];
}
