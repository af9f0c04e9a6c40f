/** What the service is to do: its configuration, its venues, and what is halted. */
import { stat } from 'node:fs/promises'
import {
  declarationDrifts,
  driftOf,
  settingDrifts,
  workspaceOf,
} from '../../server/src/configuration/index.ts'
import { ApiError } from '../../server/src/core/errors.ts'
import type { WorkspaceId } from '../../server/src/core/ids.ts'
import { count, ofCaller } from '../../server/src/core/usage.ts'
import { haltsRead } from '../../server/src/ledger/index.ts'
import { checkedConfig } from '../../server/src/start-configuration.ts'
import type { Reader } from '../../server/src/store/db.ts'
import { readOne } from '../../server/src/store/reads.ts'
import { sql } from '../../server/src/store/sql.ts'
import { readVenues } from '../../server/src/venues/index.ts'
import type { VenueRecord } from '../../server/src/venues/index.ts'
import { bad, good, messageOf, warning } from './findings.ts'
import type { Check, Finding } from './findings.ts'

const WRITTEN_BY_OTHERS = 0o022
const CHECK = 'configuration'

type Workspace = { id: WorkspaceId; name: string }

const workspacesOf = (books: Reader): Promise<Workspace[]> =>
  books.query<Workspace>(sql`
    select id, name
    from workspaces
    order by name`)

async function venuesOf(books: Reader): Promise<VenueRecord[]> {
  const found = await workspacesOf(books)
  const venues = await Promise.all(found.map(({ id }) => readVenues(books, id)))
  return venues.flat().filter(({ state }) => state !== 'DISABLED')
}

export const configuration: Check = async ({ env, settings, books }) => {
  const { KONTOR_CONFIG: named } = env
  if (!named) return unnamed(books)
  const file = ofCaller(named)
  try {
    const config = await checkedConfig(file, env, settings?.role !== 'api')
    if (((await stat(file)).mode & WRITTEN_BY_OTHERS) !== 0)
      return bad(CHECK, `others may write to ${file}`, `chmod go-w ${file}`)
    if (books === undefined) return good(CHECK, `${file} is valid`)
    const workspace = await workspaceOf(books, config)
    const drift = await driftOf(books, workspace, config)
    const remedy = `npm run configure -- ${file}, or start the service again`
    if (drift === undefined) return warning(CHECK, `${file} was never applied`, remedy)
    return [
      drift.length === 0
        ? good(CHECK, `${file} is valid, and applied as it stands`)
        : warning(CHECK, `${file} has changed since it was applied: ${drift.join(', ')}`, remedy),
      ...(await unlikeFile(books, workspace)),
    ]
  } catch (error) {
    const remedy = 'mend the file or the environment (docs/configuration.md)'
    return faultsIn(error).map((says) => bad(CHECK, says, remedy))
  }
}

/** A line for each. */
const faultsIn = (error: unknown): string[] =>
  error instanceof ApiError && error.details.length > 0
    ? error.details.map(({ message }) => message)
    : [messageOf(error)]

async function unlikeFile(books: Reader, workspace: WorkspaceId): Promise<Finding[]> {
  const drifts = await settingDrifts(books, workspace)
  const declared = await declarationDrifts(books, workspace)
  const connections = declared.map(({ key }) =>
    warning(
      CHECK,
      `the file declares ${key} otherwise than it is`,
      'decide on the page Connections of the console, or npm run configure with ' +
        '--overwrite-declarations',
    ),
  )
  const settings = drifts.map(({ key, file, record }) =>
    warning(
      CHECK,
      `the setting ${key} is ${JSON.stringify(record)}, the file says ${JSON.stringify(file)}`,
      'decide on the page Settings of the console, or npm run configure with --overwrite-settings',
    ),
  )
  return [...settings, ...connections]
}

async function unnamed(books: Reader | undefined): Promise<Finding[]> {
  if (books === undefined) return []
  const venues = await venuesOf(books)
  return [
    venues.length > 0
      ? good(CHECK, `KONTOR_CONFIG names none; ${count(venues.length, 'venue')} in the database`)
      : warning(CHECK, 'there are no venues', 'npm run configure -- FILE (docs/configuration.md)'),
  ]
}

export const venues: Check = async ({ books }) => {
  if (books === undefined) return []
  const known = await venuesOf(books)
  const silent = known.filter(({ fault, state }) => fault !== null || state !== 'CONNECTED')
  const seen = known.length - silent.length
  return [
    ...silent.map(({ label, state, fault }) =>
      warning(
        'venues',
        `${label} is ${state}${fault === null ? '' : `: ${fault}`}`,
        'docs/operations.md, A venue does not answer',
      ),
    ),
    ...(seen > 0 ? [good('venues', `${count(seen, 'venue')} connected`)] : []),
  ]
}

export const halts: Check = async ({ books }) => {
  if (books === undefined) return []
  const findings: Finding[] = []
  for (const { id, name } of await workspacesOf(books))
    for (const { action, reason, set_by } of await readOne(books, haltsRead(id)))
      findings.push(
        warning(
          'halts',
          `${action.toLowerCase()} are halted in ${name}: ${reason} (by ${set_by})`,
          'release the halt when its reason is gone',
        ),
      )
  return findings.length > 0 ? findings : good('halts', 'nothing is halted')
}
