/** Which parts of a settlement can be initiated, and that the nets they pay still stand. */
import { isDeepStrictEqual } from 'node:util'
import { notFound, refuse } from '../core/errors.ts'
import type { PartId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { correctFills, fillsClaimedBy, uncorrectedFills } from '../trading/index.ts'
import type { SettlementDraft } from './changes.ts'
import { netsInBooks } from './nets.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { isIdle } from './settlements.schema.ts'

/** Without ids every part that can be initiated. */
export function chooseParts(
  settlement: SettlementRow,
  part_ids: readonly PartId[] | undefined,
): PartRow[] {
  if (part_ids === undefined)
    return settlement.parts.filter((part) => isIdle(part) && part.route_id !== null)
  return part_ids.map((part_id, index) => findIdlePart(settlement, part_id, `part_ids[${index}]`))
}

function findIdlePart(settlement: SettlementRow, part_id: PartId, path: string): PartRow {
  const part = settlement.parts.find((part) => part.id === part_id)
  if (part === undefined) throw notFound('part', part_id, path)
  if (!isIdle(part))
    throw refuse(
      'STATE_NOT_ALLOWED',
      path,
      `part ${part_id} is ${part.state}: only an OPEN or FAILED part can be initiated`,
    )
  return part
}

/** In READY there may be none: parts without a route then wait for somebody who confirms them. */
export async function assertGoesOn(
  { db }: SettlementsApp,
  { workspace, id }: SettlementRow,
  chosen: readonly PartRow[],
): Promise<void> {
  if (chosen.length === 0)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `settlement ${id} has no part that can be initiated: ` +
        'each has moved, is in flight, or has no route',
    )
  if ((await uncorrectedFills(db, workspace, id)).length > 0)
    throw refuse('CONFLICT', '', `a fill of settlement ${id} was busted: net it again first`)
}

/** What was busted before is in no net, and needs no correction. */
export async function keepNets(
  { by }: Caller,
  { db, clock }: SettlementsApp,
  draft: SettlementDraft,
): Promise<void> {
  const { workspace, id, nets } = draft.before
  const fills = await fillsClaimedBy(db, workspace, id)
  if (!isDeepStrictEqual(await netsInBooks(db, workspace, fills), nets))
    throw refuse(
      'CONFLICT',
      '',
      `a fill of settlement ${id} was busted since it was covered: cover it again`,
    )
  const busted = fills.filter((fill) => fill.busted).map((fill) => fill.id)
  if (busted.length > 0)
    draft.add({ rows: [correctFills(workspace, busted, { by, now: clock.now() })] })
}
