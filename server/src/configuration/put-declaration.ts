/** A person or a program changes what is declared of a venue, an asset or a price route. */
import type { Clock } from '../core/clock.ts'
import { ApiError, permissionRequired, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { TargetRules } from '../core/targets.ts'
import type { Caller } from '../http/index.ts'
import { lockLane } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { faultsHere, problemsOf, problemsOfTerms } from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'
import { problemsOfHand } from './allowed-declarations.ts'
import { applyDeclarations } from './apply-declarations.ts'
import { assertForm, knownKey, permissionOf } from './declaration-facts.ts'
import { publishDeclarations } from './declaration-events.ts'
import { publishDrifts } from './drift-events.ts'
import { readDeclaration } from './declaration-records.ts'
import {
  composed,
  isLeftAlone,
  isPlacedByFile,
  isSameDeclaration,
  nextVersion,
  readDeclarations,
  recordDeclaration,
  storeDeclaration,
  wordOfFile,
} from './declarations.ts'
import type { Composed, Declaration } from './declarations.ts'
import type { DeclarationRecord, PutDeclarationBody } from './declarations.schema.ts'
import { named, withNames } from './places.ts'
import { problemsOfReferences } from './references.ts'

type HandParts = {
  tx: Tx
  clock: Clock
  permissions: ReadonlySet<string>
  /** Where a venue may lie. */
  rules: TargetRules
  /** Where banks have folders for which nobody names any. */
  banks: string | undefined
}

/** What the record is to be. */
type Wish = { value: Json; version?: number | undefined; keeps: boolean }

/**
 * The same again changes nothing, unless it is kept against the configuration file. Throws 4004,
 * 1003 without the permission of its kind, 3001 STALE_VERSION or all that is wrong with it.
 */
export function putDeclaration(
  caller: Caller,
  parts: HandParts,
  key: string,
  { declaration, version, keep_against_file = false }: PutDeclarationBody,
): Promise<DeclarationRecord> {
  const { kind } = knownKey(key)
  assertMay(parts, key)
  assertForm(kind, declaration)
  return change(caller, parts, key, { value: declaration, version, keeps: keep_against_file })
}

/** Throws 3001 CONFLICT for an asset, and for what the configuration file names. */
export async function removeDeclaration(
  caller: Caller,
  parts: HandParts,
  key: string,
): Promise<DeclarationRecord> {
  const { kind } = knownKey(key)
  assertMay(parts, key)
  await readDeclaration(parts.tx, caller.workspace, key)
  if (kind === 'ASSET') throw refuse('CONFLICT', 'key', 'an asset stays: amounts are booked in it')
  return change(caller, parts, key, { value: null, keeps: false })
}

function assertMay({ permissions }: HandParts, key: string): void {
  const permission = permissionOf(knownKey(key).kind)
  if (!permissions.has(permission)) throw permissionRequired(permission, key)
}

async function change(
  caller: Caller,
  parts: HandParts,
  key: string,
  { value, version, keeps }: Wish,
): Promise<DeclarationRecord> {
  const { workspace } = caller
  const { tx, clock } = parts
  await lockLane(tx, workspace)
  const rows = await readDeclarations(tx, workspace)
  const row = rows.get(key)
  if (version !== undefined && version !== (row?.of_version ?? 0))
    throw refuse(
      'STALE_VERSION',
      'version',
      row === undefined
        ? 'it is not declared yet: leave the version out'
        : `the declaration has changed: its version is ${row.of_version}`,
    )
  if (value === null && row?.in_file === true)
    throw refuse('CONFLICT', 'key', 'the configuration file names it: take it out there')
  const next = afterHand(caller, { key, row, now: clock.now() }, { value, keeps })
  const isKept = next.kept && row?.kept !== true
  const before = row?.value ?? null
  const turn = { key, kind: next.kind, before: row, after: next }
  if (row !== undefined && !isKept && isSameDeclaration(before, value)) {
    await storeDeclaration(caller, tx, { ...next, ...versionOf(row) })
    await publishDrifts(caller, { tx, clock }, 'declaration', [turn])
    return readDeclaration(tx, workspace, key)
  }
  if (!isSameDeclaration(before, value)) {
    rows.set(key, next)
    await apply(caller, parts, { rows, next, before })
  }
  await storeDeclaration(caller, tx, next)
  const word = wordOfFile(next) ?? null
  await recordDeclaration(caller, tx, next, { before, ...(isKept ? { kept_against: word } : {}) })
  await publishDeclarations(caller, { tx, clock }, [next])
  await publishDrifts(caller, { tx, clock }, 'declaration', [turn])
  return readDeclaration(tx, workspace, key)
}

const versionOf = ({ of_version, changed_at, changed_by, hand }: Declaration) => ({
  of_version,
  changed_at,
  changed_by,
  hand,
})

type Stand = { key: string; row: Declaration | undefined; now: number }

function afterHand(
  caller: Caller,
  { key, row, now }: Stand,
  { value, keeps }: Pick<Wish, 'value' | 'keeps'>,
): Declaration {
  const { kind } = knownKey(key)
  const known = row ?? { key, kind, file: null, in_file: false, kept: false, differs_since: null }
  const next = { ...known, value, ...nextVersion(caller, row, now) }
  const word = wordOfFile(next)
  const drifts = word !== undefined && !isSameDeclaration(word, value)
  return {
    ...next,
    kept: drifts && (keeps || known.kept),
    differs_since: drifts ? (known.differs_since ?? now) : null,
  }
}

type Change = { rows: ReadonlyMap<string, Declaration>; next: Declaration; before: Json }

/** Checked as the file is, and what counts from now on put in its place. */
async function apply(
  caller: Caller,
  { tx, clock, rules, banks }: HandParts,
  { rows, next, before }: Change,
): Promise<void> {
  const all = composed([...rows.values()].filter((row) => row === next || !isLeftAlone(row)))
  const naming = (key: string) => (key === next.key ? 'declaration' : key)
  const ofHand =
    next.kind === 'VENUE' && next.value !== null ? handProblems(next, before, { rules, banks }) : []
  const ofFile = await problemsOfAll(all, next, ofHand.length === 0)
  const problems = [...named(ofFile, all.keys, naming), ...ofHand]
  if (problems.length > 0)
    throw new ApiError('BadRequest', problems.map(({ message }) => message).join('; '), problems)
  const judged = new Set(
    [...rows.values()].filter((row) => !isPlacedByFile(row)).map(({ key }) => key),
  )
  await withNames(all.keys, naming, () =>
    applyDeclarations(caller, { tx, clock }, { all, changed: next, judged }),
  )
}

type DeclaredAs = Parameters<typeof problemsOfHand>[0]

const handProblems = (
  { value, file }: Declaration,
  before: Json,
  machine: Pick<HandParts, 'rules' | 'banks'>,
): ErrorDetail[] =>
  problemsOfHand(
    value as unknown as DeclaredAs,
    { file: file as unknown as DeclaredAs | null, before: before as unknown as DeclaredAs | null },
    { ...machine, path: 'declaration' },
  )

/**
 * Of the whole, as the file is checked; of the venue, what cannot be right on any machine. `looks`:
 * at the files and variables that it names. What is said of them quotes what they hold, so never at
 * those that the hand may not name.
 */
async function problemsOfAll(
  all: Composed,
  { key, value }: Declaration,
  looks: boolean,
): Promise<ErrorDetail[]> {
  const { assets = [], venues = [] } = all
  const index = all.keys.venues.indexOf(key)
  const venue: DeclaredVenue | undefined = value === null ? undefined : venues[index]
  const path = `venues[${index}]`
  const own = venue === undefined ? [] : problemsOf(venue, path)
  const part = { path, works: false }
  const here = venue === undefined || own.length > 0 || !looks ? [] : await faultsHere(venue, part)
  return [
    ...own,
    // What is not on this machine may be on that of the worker.
    ...here.filter(({ code }) => code !== 'NOT_FOUND'),
    ...problemsOfTerms(assets, venues),
    ...problemsOfReferences({ version: 1, ...all }),
  ]
}
