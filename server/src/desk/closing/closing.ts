/**
 * Closing a period of the books, and reopening it. The one place where either happens: whoever
 * demands more than a permission asks before it.
 *
 * What is frozen is read up to a place in the chain, which nothing changes any more; the lane's
 * lock is taken only to store it. Who books meanwhile books into the open period.
 */
import { createHash } from 'node:crypto'
import { moveOpenPeriod, settingId } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import { endOfDay } from '../../core/days.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { PeriodId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { Caller } from '../../http/index.ts'
import { chainEnd, lockLane, periodBalance, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { lastClosed, periodById, showPeriod } from './periods.ts'
import type { StoredPeriod } from './periods.ts'
import { FROZEN_FORMAT, PERIOD_MOVES, PERIODS } from './periods.schema.ts'
import type { ShownPeriod } from './periods.schema.ts'

const REOPENS = move(PERIOD_MOVES, 'CLOSED', 'REOPENED')

type Closing = { tx: Tx; clock: Clock }
type Asked = { last_day: string; note?: string | undefined }

/**
 * Refuses FORMAT for what is no day, RANGE for one that is not over, PERIOD_CLOSED for one that is
 * closed already, ANOTHER_PERSON for a program.
 */
export async function closePeriod(
  caller: Caller,
  { tx, clock }: Closing,
  { last_day, note }: Asked,
): Promise<ShownPeriod> {
  assertPerson(caller)
  const { workspace, by } = caller
  const ends_at = endOfDay(last_day)
  if (ends_at === undefined)
    throw refuse('FORMAT', 'last_day', 'last_day must be a day such as 2026-03-02')
  const now = clock.now()
  if (ends_at > now) throw refuse('RANGE', 'last_day', `${last_day} (UTC) is not over yet`)
  // Before the books are read, for which a refusal need not wait, and again under the lock.
  await assertOpen(tx, workspace, ends_at)
  const end = await chainEnd(tx, workspace)
  const assets = await periodBalance(tx, workspace, { upto: end.last_sequence, ends_at })
  await lockLane(tx, workspace)
  await assertOpen(tx, workspace, ends_at)
  const facts = { last_day, ...end, closed_by: by, closed_at: now }
  const id = newId<PeriodId>(now)
  const frozen = JSON.stringify({ format: FROZEN_FORMAT, workspace, id, ...facts, assets })
  const hash = createHash('sha256').update(frozen).digest('hex')
  const moved = await moveOpenPeriod(caller, { tx, now }, (from) => ({
    closed_until: ends_at,
    open_period_from: Math.max(from ?? ends_at, ends_at),
  }))
  const row = {
    workspace,
    id,
    ends_at,
    state: 'CLOSED' as const,
    note: note ?? null,
    frozen,
    hash,
    ...facts,
  }
  const rest = { opened_from: moved.before, reopened_by: null, reopened_at: null, reason: null }
  const stored = insertRow(PERIODS, { ...row, ...rest }, { by, now })
  await withFailpoints('period.close', last_day, () => tx.query(stored))
  await publishEvents({ workspace, by }, { tx, clock }, [
    { type: 'period.closed', resource_id: id, data: { last_day, by, hash, ...end } },
    ...changesOf(caller, moved),
  ])
  return showPeriod(tx, workspace, id)
}

/**
 * The last closed period alone, so that no hole is in what is closed. What was frozen stays.
 * Refuses STATE_NOT_ALLOWED, ANOTHER_PERSON for a program; throws 4004.
 */
export async function reopenPeriod(
  caller: Caller,
  { tx, clock }: Closing,
  id: PeriodId,
  reason: string,
): Promise<ShownPeriod> {
  assertPerson(caller)
  const { workspace, by } = caller
  const now = clock.now()
  await lockLane(tx, workspace)
  const period = await periodById(tx, workspace, id)
  await assertLast(tx, caller, period)
  const before = await lastClosed(tx, workspace, period.ends_at)
  const moved = await moveOpenPeriod(caller, { tx, now }, (from) => ({
    closed_until: before?.ends_at ?? null,
    // Who has moved it further meanwhile has decided so.
    open_period_from: from === period.ends_at ? period.opened_from : from,
  }))
  const set = { reopened_by: by, reopened_at: now, reason }
  const stored = updateRow(PERIODS, { where: { workspace, id }, move: REOPENS, set, by, now })
  await withFailpoints('period.reopen', id, () => tx.query(stored))
  await publishEvents({ workspace, by }, { tx, clock }, [
    {
      type: 'period.reopened',
      resource_id: id,
      data: { last_day: period.last_day, by, reason, hash: period.hash },
    },
    ...changesOf(caller, moved),
  ])
  return showPeriod(tx, workspace, id)
}

async function assertOpen(tx: Tx, workspace: WorkspaceId, ends_at: number): Promise<void> {
  const before = await lastClosed(tx, workspace)
  if (before !== undefined && ends_at <= before.ends_at)
    throw refuse('PERIOD_CLOSED', 'last_day', `the books are closed up to ${before.last_day}`)
}

function assertPerson({ api_key }: Caller): void {
  if (api_key !== undefined)
    throw refuse('ANOTHER_PERSON', '', 'a person does this, and no program with an API key')
}

async function assertLast(
  tx: Tx,
  { workspace }: Caller,
  { id, state, last_day }: StoredPeriod,
): Promise<void> {
  if (state !== 'CLOSED')
    throw refuse('STATE_NOT_ALLOWED', 'period_id', `the period up to ${last_day} is ${state}`)
  const last = await lastClosed(tx, workspace)
  if (last !== undefined && last.id !== id)
    throw refuse(
      'STATE_NOT_ALLOWED',
      'period_id',
      `the period up to ${last.last_day} was closed later: reopen that first`,
    )
}

const changesOf = (
  { workspace }: Caller,
  { recorded }: Awaited<ReturnType<typeof moveOpenPeriod>>,
): EventDraft[] =>
  recorded.map(({ id: _id, ...data }) => ({
    type: 'setting.changed',
    resource_id: settingId(workspace, data.key),
    data,
  }))
