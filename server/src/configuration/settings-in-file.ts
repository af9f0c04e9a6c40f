/**
 * What the configuration file says of settings, and what follows from it.
 *
 * The file and people are two hands on the same records. What the file said last is remembered. As
 * long as the record holds just that, a new word of the file counts. Once somebody has changed the
 * record, the file no longer overwrites it: the difference is a drift, until somebody takes the
 * file's value or decides that the record stays.
 */
import { isSameSetting } from '../access/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { closed, flag, id, nullable, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'

const FileWord = closed({
  key: text(),
  value: Type.Unsafe<Json>({}),
  named: flag('It said so at its last application'),
  kept: flag('Somebody decided that the record stays'),
  differs_since: nullable(time()),
})
export type FileWord = Static<typeof FileWord>

const WORDS = tableOf('settings_in_file', FileWord, { inside: { workspace: id<WorkspaceId>() } })

export async function readWords(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Map<string, FileWord>> {
  const rows = await reader.query<FileWord>(sql`
    select ${columnsOf(FileWord)}
    from settings_in_file
    where workspace = ${workspace}`)
  return new Map(rows.map((row) => [row.key, row]))
}

export async function putWord(
  tx: Tx,
  { workspace, now }: { workspace: WorkspaceId; now: number },
  word: FileWord,
): Promise<void> {
  await tx.query(sql`
    ${insertRow(WORDS, { workspace, ...word }, { by: null, now })}
    on conflict (workspace, key) do update
    set value = excluded.value, named = excluded.named, kept = excluded.kept,
      differs_since = excluded.differs_since`)
}

/** A setting as it stands before the file is applied. */
type Stand = {
  key: string
  record: Json
  /** Whether it was ever changed. */
  changed: boolean
  word: FileWord | undefined
}

/** `APPLY`: the file's value counts from now on. `DRIFT`: the record stays. */
export type Verdict = 'SAME' | 'APPLY' | 'DRIFT'

export function verdictOn({ key, record, changed, word }: Stand, said: Json): Verdict {
  if (isSameSetting(key, record, said)) return 'SAME'
  const isUntouched = word === undefined ? !changed : isSameSetting(key, record, word.value)
  return isUntouched ? 'APPLY' : 'DRIFT'
}

/** What is remembered after the file said this. */
export function wordAfter(
  { key, word }: Pick<Stand, 'key' | 'word'>,
  { said, verdict, now }: { said: Json; verdict: Verdict; now: number },
): FileWord {
  const drifts = verdict === 'DRIFT'
  const saysTheSame = word !== undefined && isSameSetting(key, word.value, said)
  return {
    key,
    value: said,
    named: true,
    kept: drifts && saysTheSame && word.kept,
    differs_since: drifts ? (word?.differs_since ?? now) : null,
  }
}

/** After somebody has put this value. `keeps`: although the file says another. */
export function wordAfterPut(
  word: FileWord,
  { value, keeps, now }: { value: Json; keeps: boolean; now: number },
): FileWord {
  if (!word.named) return word
  const drifts = !isSameSetting(word.key, word.value, value)
  return {
    ...word,
    kept: drifts && (keeps || word.kept),
    differs_since: drifts ? (word.differs_since ?? now) : null,
  }
}

/** What the file no longer names stays, and still counts as what it said last. */
export const wordAfterSilence = (word: FileWord): FileWord => ({
  ...word,
  named: false,
  kept: false,
  differs_since: null,
})
