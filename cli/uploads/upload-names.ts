import type { UploadListing } from '../../temporal/client/list-uploads';

/** What the user knows each upload by: the name of its file, or its id where no name is known or two of them share it. */
export function uploadNames(uploads: ReadonlyArray<Pick<UploadListing, 'workflowId' | 'label'>>): string[] {
  return uploads.map(({ workflowId, label }) => {
    const isShared = uploads.filter((other) => other.label === label).length > 1;
    return label === undefined || isShared ? workflowId : label;
  });
}
