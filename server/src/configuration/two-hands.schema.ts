/** What settings and declarations have alike: people and the configuration file change both. */
import { HANDS, PERMISSIONS, userNames } from '../access/index.ts'
import type { Permission } from '../access/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { closed, currentVersion, flag, nullable } from '../http/index.ts'
import { oneOf, optional, text, time, Type } from '../http/index.ts'
import type { Reader } from '../store/db.ts'

/** Of a key with what stands before it. */
export const MAXIMUM_KEY = 120

export const value = (description: string) => Type.Unsafe<Json>({ description })

export const changedByName = () => nullable(text(500, 'Of the user or of the API key'))

/** `file` and `record`: what either says. */
export const driftOf = (
  words: { file: string; record: string },
  named: { title: string; description?: string },
) =>
  closed(
    {
      file: value(words.file),
      record: value(words.record),
      since: time('Since when they differ; Unix milliseconds, UTC'),
    },
    named,
  )

export const recordVersion = () =>
  Type.Integer({ minimum: 1, description: 'Grows with each change' })
export const changedBy = () => text(100, 'A user, an API key, or a part of the service')
export const whoseHand = () => oneOf(HANDS, 'A person, a program, or the configuration file')
export const whoMay = () => oneOf(Object.keys(PERMISSIONS) as [Permission], 'Who may change it')

/** Beside the value that is put. */
export const decided = (keeps: string) => ({
  version: optional(currentVersion()),
  keep_against_file: optional(flag(keeps)),
})

/** Changes with the names of those who made them. */
export async function withNamesOf<Change extends { changed_by: string }>(
  reader: Reader,
  workspace: WorkspaceId,
  changes: readonly Change[],
): Promise<(Change & { changed_by_name: string | null })[]> {
  const authors = changes.map((change) => change.changed_by)
  const names = await userNames(reader, workspace, authors)
  return changes.map((change) => ({
    ...change,
    changed_by_name: names.get(change.changed_by) ?? null,
  }))
}
