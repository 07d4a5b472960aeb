import { capture } from '../run.mjs';

/**
 * What prevents a release of this version in git: uncommitted changes, or a tag of the version at another commit.
 * @param {string} folder
 * @param {string} version
 */
export async function gitFindings(folder, version) {
  const git = (...args) => capture('git', args, { cwd: folder });
  const status = await git('status', '--porcelain');
  if (status.code !== 0) return [`git: ${status.stderr.trim()}`];
  const changed = status.stdout.split('\n').filter((line) => line !== '');
  const tag = `v${version}`;
  const [head, tagged] = await Promise.all([
    git('rev-parse', '--verify', '--quiet', 'HEAD'),
    git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`),
  ]);
  return [
    ...(changed.length > 0
      ? [`git: ${changed.length} uncommitted change(s), such as ${changed[0].slice(3)}: commit them.`]
      : []),
    ...(head.code !== 0 ? ['git: there is no commit yet.'] : []),
    ...(tagged.code === 0 && tagged.stdout !== head.stdout
      ? [
          `git: the tag ${tag} is at another commit: raise the version, or move the tag if nothing is published.`,
        ]
      : []),
  ];
}
