/**
 * Signing off a day of a venue, and reopening it. Both take the lane's lock, as closing a break
 * does: nobody explains a difference of the day meanwhile, and no two sign at once.
 */
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { ReconciliationDayId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { Move } from '../../core/moves.ts'
import type { Caller } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { breaksOf, dayById, showDay } from './days.ts'
import { DAY_MOVES, DAYS, SIGNATURES } from './days.schema.ts'
import type { Day, ShownDay, SIGNATURE_ACTIONS } from './days.schema.ts'

const SIGNS = move(DAY_MOVES, 'OPEN', 'SIGNED_OFF')
const REOPENS = move(DAY_MOVES, 'SIGNED_OFF', 'OPEN')

type By = Pick<Caller, 'workspace' | 'by' | 'api_key'>
type Signing = { tx: Tx; clock: Clock }

/**
 * Refuses STATE_NOT_ALLOWED for a day that is signed off or has something unexplained,
 * ANOTHER_PERSON for who closed one of its breaks, REQUIRED without a note where nothing was
 * compared. Throws 4004.
 */
export async function signOffDay(
  caller: By,
  signing: Signing,
  id: ReconciliationDayId,
  note: string | undefined,
): Promise<ShownDay> {
  assertPerson(caller)
  const day = await lockedDay(caller, signing.tx, id)
  assertState(day, SIGNS)
  if (day.unexplained_count > 0)
    throw refuse(
      'STATE_NOT_ALLOWED',
      'day_id',
      `the day ${day.day} has ${day.unexplained_count} differences that nobody has explained`,
    )
  if (day.compared_at === null && note === undefined)
    throw refuse('REQUIRED', 'note', `nothing was compared on ${day.day}: a note must say why`)
  await assertExplainedByOthers(caller, signing.tx, day)
  return sign(caller, signing, day, { action: 'SIGNED_OFF', note: note ?? null })
}

/** The earlier signature stays. Refuses STATE_NOT_ALLOWED and ANOTHER_PERSON; throws 4004. */
export async function reopenDay(
  caller: By,
  signing: Signing,
  id: ReconciliationDayId,
  reason: string,
): Promise<ShownDay> {
  assertPerson(caller)
  const day = await lockedDay(caller, signing.tx, id)
  assertState(day, REOPENS)
  return sign(caller, signing, day, { action: 'REOPENED', note: reason })
}

async function lockedDay({ workspace }: By, tx: Tx, id: ReconciliationDayId): Promise<Day> {
  await lockLane(tx, workspace)
  return dayById(tx, workspace, id)
}

function assertPerson({ api_key }: By): void {
  if (api_key !== undefined)
    throw refuse('ANOTHER_PERSON', '', 'a person does this, and no program with an API key')
}

function assertState({ day, state }: Day, { from }: Move<Day['state']>): void {
  if (!from.includes(state))
    throw refuse(
      'STATE_NOT_ALLOWED',
      'day_id',
      `the day ${day} is ${state}; this needs ${from.join(' or ')}`,
    )
}

/** Who explains a difference does not also confirm that it is explained. */
async function assertExplainedByOthers({ workspace, by }: By, tx: Tx, day: Day): Promise<void> {
  const own = await tx.query(sql`
    select 1
    from breaks
    where workspace = ${workspace}
      and id = any(${await breaksOf(tx, workspace, day)}::uuid[])
      and closed_reason = 'BY_HAND'
      and closed_by = ${by}
    limit 1`)
  if (own.length > 0)
    throw refuse(
      'ANOTHER_PERSON',
      'day_id',
      `you have closed a break of ${day.day} at this venue: somebody else signs it off`,
    )
}

async function sign(
  { workspace, by }: By,
  { tx, clock }: Signing,
  { id, venue_id, day }: Day,
  { action, note }: { action: (typeof SIGNATURE_ACTIONS)[number]; note: string | null },
): Promise<ShownDay> {
  const now = clock.now()
  const signs = action === 'SIGNED_OFF'
  const signed = updateRow(DAYS, {
    where: { workspace, id },
    move: signs ? SIGNS : REOPENS,
    set: { signed_off_by: signs ? by : null, signed_off_at: signs ? now : null },
    by,
    now,
  })
  await withFailpoints('reconciliation.sign', id, () => tx.query(signed))
  const signature = { id: newId(now), day_id: id, action, signed_by: by, signed_at: now, note }
  await tx.query(insertRow(SIGNATURES, { workspace, ...signature }, { by, now }))
  await publishEvents({ workspace, by }, { tx, clock }, [
    {
      type: signs ? 'reconciliation_day.signed_off' : 'reconciliation_day.reopened',
      resource_id: id,
      data: { venue_id, day, by, note },
    },
  ])
  return showDay(tx, workspace, id, now)
}
