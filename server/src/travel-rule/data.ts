/** The rows of travel-rule data: they are added, and never changed but by an erasure. */
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { assertConstraints } from './constraints.ts'
import { TravelRuleDataRecord } from './data.schema.ts'
import type { GiveTravelRuleDataBody, TravelRuleData } from './data.schema.ts'
import { partiesOf } from './parties.ts'
import { missingOf } from './required.ts'

const DATA = tableOf('travel_rule_data', TravelRuleDataRecord)
const COLUMNS = columnsOf(TravelRuleDataRecord)

const MOST_SHOWN = 100

type Of = { workspace: WorkspaceId; record_id: string }

/** All that was given for it, the newest first. */
export function dataOf(reader: Reader, { workspace, record_id }: Of): Promise<TravelRuleData[]> {
  return reader.query<TravelRuleData>(sql`
    select ${COLUMNS}
    from travel_rule_data
    where workspace = ${workspace}
      and record_id = ${record_id}
    order by id desc
    limit ${MOST_SHOWN}`)
}

/** The data that count, undefined while there are none. */
export async function countingData(
  reader: Reader,
  workspace: WorkspaceId,
  data_id: string | null,
): Promise<TravelRuleData | undefined> {
  if (data_id === null) return undefined
  return only(
    await reader.query<TravelRuleData>(sql`
      select ${COLUMNS}
      from travel_rule_data
      where workspace = ${workspace}
        and id = ${data_id}`),
  )
}

/**
 * Refuses a body that has not exactly one version, and data that break a constraint of the
 * standard. What the law wants beyond that may still be missing.
 */
export function assertGiven(body: GiveTravelRuleDataBody, now: number): void {
  const { ivms101_2020, ivms101_2023 } = body
  if (ivms101_2020 !== undefined && ivms101_2023 !== undefined)
    throw refuse('CONFLICT', 'ivms101_2023', 'one version of IVMS 101, not both')
  if (ivms101_2020 === undefined && ivms101_2023 === undefined)
    throw refuse('REQUIRED', 'ivms101_2023', 'ivms101_2023 or ivms101_2020 is needed')
  assertConstraints(partiesOf(body), new Date(now).toISOString().slice(0, 10))
}

export function insertData(of: Of, body: GiveTravelRuleDataBody, stamp: Stamp) {
  const { ivms101_2020 = null, ivms101_2023 = null } = body
  const row = {
    id: newId(stamp.now),
    ...of,
    record_kind: 'WITHDRAWAL' as const,
    ivms101_2020,
    ivms101_2023,
  }
  const insert: Query = insertRow(DATA, row, stamp)
  return { id: row.id, insert }
}

/** What the data lack that count; one entry when there are none at all. */
export function missingIn(data: TravelRuleData | undefined, destination_address: string): string[] {
  const { ivms101_2020 = null, ivms101_2023 = null } = data ?? {}
  if (ivms101_2020 === null && ivms101_2023 === null)
    return ['the data of originator and beneficiary']
  const given = {
    ivms101_2020: ivms101_2020 ?? undefined,
    ivms101_2023: ivms101_2023 ?? undefined,
  }
  return missingOf(partiesOf(given), destination_address)
}
