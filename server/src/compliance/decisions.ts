/**
 * A case is decided once, and in the same commit its withdrawal goes on or ends. So neither a hold
 * is released twice, nor is anything sent that was refused, wherever a process dies.
 */
import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { WithdrawalId } from '../core/ids.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { assertVersion, commitWithReply, retryOnStale } from '../ledger/index.ts'
import { caseRow, CASES, decidedCase } from '../screening/index.ts'
import type { DecideCaseBody, ScreeningCase } from '../screening/index.ts'
import { shownOf } from '../store/rows.ts'
import { afterScreening, mergeChanges } from '../treasury/index.ts'
import type { TreasuryApp } from '../treasury/index.ts'

/** Refuses 4004; STATE_NOT_ALLOWED once it is decided; STALE_VERSION. */
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
      if (row.state !== 'OPEN')
        throw refuse('STATE_NOT_ALLOWED', '', `screening case ${case_id} is ${row.state}`)
      const refused = decision === 'REFUSE'
      const to = refused ? 'REFUSED' : 'CLEARED'
      const { change, after } = decidedCase(row, { to, reason, by, now: app.clock.now() })
      const id = row.record_id as WithdrawalId
      const following = await afterScreening(app, { workspace, id }, { refused, by })
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
