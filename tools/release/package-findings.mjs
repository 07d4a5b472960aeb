const TAG_OF_PROVENANCE = 'https://docs.npmjs.com/generating-provenance-statements';

/**
 * What a package.json lacks for publishing. Each line names a field and its content.
 * @param {string} file
 * @param {Record<string, any>} manifest the content of the file
 */
export function packageFindings(file, { author, repository, homepage, publishConfig, private: isPrivate }) {
  const { name = '', email = '' } = typeof author === 'string' ? { name: author } : (author ?? {});
  const url = typeof repository === 'string' ? repository : (repository?.url ?? '');
  return [
    ...(name === '' || name.endsWith(' contributors')
      ? [`${file}: author.name is ${quoted(name)}: use the maintainer's name, as on npm.`]
      : []),
    ...(email === '' || email.endsWith('.invalid')
      ? [`${file}: author.email is ${quoted(email)}: use the maintainer's address.`]
      : []),
    ...(/^(git\+)?https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/.test(url)
      ? []
      : [
          `${file}: repository.url is ${quoted(url)}: use git+https://github.com/OWNER/NAME.git, ` +
            `which npm compares with the repository that publishes (${TAG_OF_PROVENANCE}).`,
        ]),
    ...(homepage === undefined || homepage.startsWith('https://www.npmjs.com/')
      ? [`${file}: homepage is ${quoted(homepage ?? '')}: use the README in the repository.`]
      : []),
    ...(publishConfig?.provenance === true
      ? []
      : [`${file}: publishConfig.provenance is not true: n8n requires a provenance statement.`]),
    ...(isPrivate === true
      ? []
      : [`${file}: private is not true: npm publish would publish a clone without dist.`]),
  ];
}

/**
 * @param {string} text the content of LICENSE
 */
export function licenceFindings(text) {
  const [, holder = ''] = /^Copyright \(c\) \d+ (.+)$/m.exec(text) ?? [];
  return holder === '' || holder.endsWith(' contributors')
    ? [`LICENSE: the holder is ${quoted(holder)}: use the maintainer's name.`]
    : [];
}

function quoted(value) {
  return value === '' ? 'missing' : `"${value}"`;
}
