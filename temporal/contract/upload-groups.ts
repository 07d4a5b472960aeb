import type {
  CompleteInput,
  OrphanSearch,
  PartInput,
  PartResult,
  StartedSession,
  StartInput,
} from '../../api/upload/upload-steps';
import type { PinnedSource, SourceDescriptor } from '../../api/upload/sources/source';
import type { UploadSession } from '../../api/upload/session/session';
import type { Sealed } from './upload';
import type { Group, GroupResult } from './groups';

interface Kind<Input, Value> {
  readonly input: Input;
  readonly value: Value;
}

/** The steps of uploads as groups. Each step is one activity with the same name. */
export interface UploadGroups {
  /** The value leaves out the source if it is the input's source. */
  pinSources: Kind<
    { readonly source: SourceDescriptor },
    Omit<PinnedSource, 'source'> & Partial<Pick<PinnedSource, 'source'>>
  >;
  startSessions: Kind<Omit<StartInput, 'part'>, StartedSession<Sealed>>;
  awaitUploadHosts: Kind<null, null>;
  findOrphans: Kind<{ readonly ingestKey: string; readonly known: readonly string[] }, OrphanSearch>;
  sendParts: Kind<PartInput<Sealed>, PartResult>;
  completeSessions: Kind<CompleteInput, UploadSession>;
  pollSessions: Kind<PollSessionInput, UploadSession>;
  readSessions: Kind<{ readonly uploadId: string }, UploadSession>;
  releaseSources: Kind<{ readonly source: SourceDescriptor }, null>;
}

export interface PollSessionInput {
  readonly uploadId: string;
  /** Epoch ms. */
  readonly completedAt: number;
  readonly limitMs: number;
  /** The first pause between two tries, ms. Grows with the tries. */
  readonly pollDelayMs: number;
}

export type UploadGroupKind = keyof UploadGroups;

/** The activities of uploads. */
export type UploadGroupActivities = {
  readonly [Name in UploadGroupKind]: (
    group: Group<UploadGroups[Name]['input']>,
  ) => Promise<GroupResult<UploadGroups[Name]['input'], UploadGroups[Name]['value']>>;
};

const KINDS: Readonly<Record<UploadGroupKind, true>> = {
  pinSources: true,
  startSessions: true,
  awaitUploadHosts: true,
  findOrphans: true,
  sendParts: true,
  completeSessions: true,
  pollSessions: true,
  readSessions: true,
  releaseSources: true,
};

export function isUploadGroup(activityType: string): activityType is UploadGroupKind {
  return Object.hasOwn(KINDS, activityType);
}
