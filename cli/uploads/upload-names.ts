import type { UploadListing } from '../../temporal/client/list-uploads';

/** Returns the user's name for each upload: its file's name, or its id if the name is unknown or shared. */
export function uploadNames(uploads: ReadonlyArray<Pick<UploadListing, 'workflowId' | 'label'>>): string[] {
  return uploads.map(({ workflowId, label }) => {
    const isShared = uploads.filter((other) => other.label === label).length > 1;
    return label === undefined || isShared ? workflowId : label;
  });
}
