/**
 * Another cluster in the place of the one that is there. Only renames, each lasting before the
 * next: killed between any two, either the old cluster still stands or the next start puts the new
 * one there. The caller holds the lock of the place.
 */
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { clusterFolder } from './embedded-place.ts'
import type { Place } from './embedded-place.ts'
import { syncFolder } from './folders.ts'

/** Whole, and on its way to where a start looks for it. */
const arrivedFolder = (place: Place): string => join(place.dir, 'cluster.restored')

export async function replace(
  place: Place,
  restored: string,
  aside: string,
): Promise<string | undefined> {
  // One whose restore was killed before the old cluster was moved: nobody has seen it.
  await rm(arrivedFolder(place), { recursive: true, force: true })
  await rename(restored, arrivedFolder(place))
  await syncFolder(dirname(restored))
  await syncFolder(place.dir)
  const old = join(place.dir, aside)
  const isThere = existsSync(clusterFolder(place))
  if (isThere) {
    await rename(clusterFolder(place), old)
    await syncFolder(place.dir)
  }
  await finishReplacing(place)
  return isThere ? old : undefined
}

/** A start does this too: the one before may have been killed with the old cluster moved away. */
export async function finishReplacing(place: Place): Promise<void> {
  if (existsSync(clusterFolder(place)) || !existsSync(arrivedFolder(place))) return
  await rename(arrivedFolder(place), clusterFolder(place))
  await syncFolder(place.dir)
}
