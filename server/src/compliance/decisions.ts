/**
 * A case is decided, and in the same commit what it is about goes on or ends. So neither a hold is
 * released twice, nor is anything sent or assigned that was refused, wherever a process dies.
 */
import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { DepositId, WithdrawalId } from '../core/ids.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { assertVersion, commitWithReply, retryOnStale } from '../ledger/index.ts'
import type { Change } from '../ledger/index.ts'
import { caseRow, CASES, decidedCase } from '../screening/index.ts'
import type { DecideCaseBody, ScreeningCase } from '../screening/index.ts'
import { shownOf } from '../store/rows.ts'
import { afterDepositScreening, afterScreening, mergeChanges } from '../treasury/index.ts'
import type { TreasuryApp } from '../treasury/index.ts'

/**
 * Refuses 4004; STATE_NOT_ALLOWED once it is decided, but for the release of a deposit that was
 * refused; STALE_VERSION.
 */
export function decideCase(
  caller: Caller,
  app: TreasuryApp,
  case_id: string,
  { decision, reason, version }: DecideCaseBody,
): Promise<ScreeningCase> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await caseRow(app.db, workspace, case_id)
      assertVersion('screening case', row, version)
      if (row.state !== 'OPEN' && !isRelease(row, decision))
        throw refuse('STATE_NOT_ALLOWED', '', `screening case ${case_id} is ${row.state}`)
      const refused = decision === 'REFUSE'
      const to = refused ? 'REFUSED' : 'CLEARED'
      const why = row.reason === null ? reason : `${row.reason}\n\n${reason}`
      const { change, after } = decidedCase(row, { to, reason: why, by, now: app.clock.now() })
      const following = await followingOf(app, row, { refused, by })
      return withFailpoints('screening.decide', case_id, () =>
        commitWithReply(
          app.lane,
          caller,
          mergeChanges([change, ...following]),
          shownOf(CASES, after),
        ),
      )
    }),
  )
}

type CaseRow = Awaited<ReturnType<typeof caseRow>>

/** The money of a refused deposit is still there: a licence, or a list that changed, frees it. */
const isRelease = ({ state, record_kind }: CaseRow, decision: DecideCaseBody['decision']) =>
  state === 'REFUSED' && record_kind === 'DEPOSIT' && decision === 'CLEAR'

const followingOf = (
  app: TreasuryApp,
  { workspace, record_kind, record_id }: CaseRow,
  decided: { refused: boolean; by: string },
): Promise<Change[]> =>
  record_kind === 'DEPOSIT'
    ? afterDepositScreening(app, { workspace, id: record_id as DepositId }, decided)
    : afterScreening(app, { workspace, id: record_id as WithdrawalId }, decided)
