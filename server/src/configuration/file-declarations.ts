/** How the file is applied to venues, assets and price routes, which people change too. */
import type { Clock } from '../core/clock.ts'
import type { Json } from '../core/json.ts'
import type { Caller } from '../http/index.ts'
import type { Tx } from '../store/db.ts'
import { withCalendarOf } from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'
import type { Config } from './configuration.schema.ts'
import {
  composed,
  entriesOf,
  isLeftAlone,
  isPlacedByFile,
  isSameDeclaration,
  nextVersion,
  readDeclarations,
  recordDeclaration,
  storeDeclaration,
} from './declarations.ts'
import type { Composed, Declaration, Declarations, Entry } from './declarations.ts'
import { publishDeclarations } from './declaration-events.ts'
import { publishDrifts } from './drift-events.ts'

type Applying = { tx: Tx; clock: Clock; overwrite: boolean }

/** What counts: the file, where nobody has said something else. */
export type Merged = {
  config: Config
  keys: Composed['keys']
  /** Keys of venues whose addresses are not the file's. */
  judged: ReadonlySet<string>
}

/** Under the lane's lock. */
export async function mergeDeclarations(
  caller: Caller,
  { tx, clock, overwrite }: Applying,
  config: Config,
): Promise<Merged> {
  const said = entriesOf(config)
  const before = await readDeclarations(tx, caller.workspace)
  const now = clock.now()
  const next = new Map<string, Declaration>()
  for (const entry of said)
    next.set(entry.key, afterWord(caller, before.get(entry.key), { entry, overwrite, now }))
  for (const row of before.values())
    if (!next.has(row.key)) next.set(row.key, afterSilence(caller, row, { overwrite, now }))
  const changed: Declaration[] = []
  for (const row of next.values()) {
    const known = before.get(row.key)
    if (row === known) continue
    await storeDeclaration(caller, tx, row)
    if (row.of_version === known?.of_version) continue
    await recordDeclaration(caller, tx, row, { before: known?.value ?? null })
    if (known !== undefined) changed.push(row)
  }
  await publishDeclarations(caller, { tx, clock }, changed)
  const turns = [...next.values()].map((after) => {
    const { key, kind } = after
    return { key, kind, before: before.get(key), after }
  })
  await publishDrifts(caller, { tx, clock }, 'declaration', turns)
  return merged(config, next, said)
}

type Word = { overwrite: boolean; now: number }

/** The file's new word counts while the record is what it said last. */
function afterWord(
  caller: Caller,
  row: Declaration | undefined,
  { entry: { key, kind, value }, overwrite, now }: Word & { entry: Entry },
): Declaration {
  const word = { key, kind, file: value, in_file: true }
  const agreed = { ...word, kept: false, differs_since: null }
  if (row === undefined) return { ...agreed, value, ...nextVersion(caller, undefined, now) }
  if (isSameDeclaration(row.value, value)) return isAgreed(row, value) ? row : { ...row, ...agreed }
  const isUntouched =
    row.value === null || (row.file !== null && isSameDeclaration(row.value, row.file))
  if (isUntouched || overwrite) return { ...agreed, value, ...nextVersion(caller, row, now) }
  const saysTheSame = row.in_file && isSameDeclaration(row.file, value)
  const kept = saysTheSame && row.kept
  return { ...row, ...word, kept, differs_since: row.differs_since ?? now }
}

const isAgreed = (row: Declaration, value: Json): boolean =>
  row.in_file && row.differs_since === null && isSameDeclaration(row.file, value)

/** What the file no longer names goes, unless somebody has changed it. Assets stay. */
function afterSilence(caller: Caller, row: Declaration, { overwrite, now }: Word): Declaration {
  if (!row.in_file) return row
  const silent = { in_file: false, kept: false, differs_since: null }
  if (row.kind === 'ASSET') return { ...row, ...silent }
  if (overwrite || isSameDeclaration(row.value, row.file))
    return { ...row, ...silent, value: null, ...nextVersion(caller, row, now) }
  return { ...row, ...silent, differs_since: row.differs_since ?? now }
}

/** In the order of the file; what only records have comes after it. */
function merged(config: Config, rows: Declarations, said: readonly Entry[]): Merged {
  const inFile = new Set(said.map(({ key }) => key))
  const more = [...rows.values()].filter((row) => !inFile.has(row.key) && !isLeftAlone(row))
  const entries = [
    ...said.map((entry) => ({ ...entry, value: valueOf(rows.get(entry.key), entry) })),
    ...more,
  ]
  const { keys, ...sections } = composed(entries)
  const named = Object.entries(sections).filter(
    ([section, list]) => config[section as keyof Config] !== undefined || list.length > 0,
  )
  const judged = [...rows.values()].filter(
    (row) => row.kind === 'VENUE' && row.value !== null && !isPlacedByFile(row),
  )
  return {
    config: { ...config, ...Object.fromEntries(named) },
    keys,
    judged: new Set(judged.map(({ key }) => key)),
  }
}

/** The calendar of a bank is a setting: what the file says of it is judged there. */
function valueOf(row: Declaration | undefined, { value }: Entry): Json {
  const counts = row?.value ?? value
  const { kind, options } = counts as Partial<DeclaredVenue>
  if (counts === value || kind !== 'BANK') return counts
  const said = (value as Partial<DeclaredVenue>).options
  return { ...(counts as object), options: withCalendarOf(options, said) }
}
