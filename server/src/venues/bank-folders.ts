/**
 * Folders of banks that name none: below one of the operator's, by the workspace and the key of the
 * venue. A key is one plain name, so that no text of a person leads elsewhere.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { WorkspaceId } from '../core/ids.ts'
import { folderSince } from './bank/folder-age.ts'

/** Both, or neither. */
export const FOLDERS = ['outbox_dir', 'inbox_dir'] as const
export const NO_BANK_FOLDERS =
  'a bank without folders of its own needs KONTOR_BANK_FOLDERS: the operator names a folder there'
const OTHERS_NOTHING = 0o700
const PLAIN = /^[a-z0-9][a-z0-9._-]*$/

type Named = {
  kind: string
  options?: Readonly<Record<string, unknown>>
  secrets?: Readonly<Record<string, unknown>>
}

/** KONTOR_BANK_FOLDERS names the folder that all have theirs in; else it lies in DATA_DIR. */
export function bankFoldersFrom({
  KONTOR_BANK_FOLDERS: folder,
  DATA_DIR: data,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (folder) return resolve(folder)
  return data ? resolve(data, 'banks') : undefined
}

/** Those of a bank whose folders are said in its declaration. */
export const namedFolders = ({ options = {}, secrets = {} }: Omit<Named, 'kind'>) =>
  FOLDERS.filter((name) => options[name] !== undefined || secrets[name] !== undefined)

export const hasOwnFolder = (venue: Named): boolean =>
  venue.kind === 'BANK' && namedFolders(venue).length === 0

/** Capitals would be the same folder on some disks, and another one on others. */
export const isFolderName = (key: string): boolean => PLAIN.test(key)

/** Below the operator's folder. Throws RangeError for a key that is no plain name. */
export function folderOf(workspace: WorkspaceId, key: string): string {
  if (!isFolderName(key)) throw new RangeError(`${key} is no name of a folder`)
  return join(workspace, key)
}

type OwnFolders = {
  options: Record<(typeof FOLDERS)[number], string>
  /** Since when what was handed over is known there; undefined while it cannot be read. */
  since: number | undefined
}

/**
 * Made where they are missing. A process that answers requests alone may not be able to: it hands
 * nothing over. `report` gets what went wrong.
 */
export async function ownFolders(
  base: string,
  folder: string,
  report: (problem: string) => void,
): Promise<OwnFolders> {
  const place = join(base, folder)
  const options = { outbox_dir: join(place, 'outbox'), inbox_dir: join(place, 'inbox') }
  const done = join(options.outbox_dir, 'done')
  try {
    for (const one of [done, options.inbox_dir])
      await mkdir(one, { recursive: true, mode: OTHERS_NOTHING })
    return { options, since: await folderSince(done) }
  } catch (error) {
    report(error instanceof Error ? error.message : String(error))
    return { options, since: undefined }
  }
}
