/** That the file and a record begin to differ, and that they no longer do, is told once each. */
import { settingId } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Caller } from '../http/index.ts'
import { publishEvents } from '../ledger/index.ts'
import type { EventDraft } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { declarationId } from './declaration-events.ts'

const IDS = { setting: settingId, declaration: declarationId }

/** What is remembered of the file's word on a record, as far as it makes a drift. */
type Word = { kept: boolean; differs_since: number | null }

/** `kind`: of a declaration. */
type Turn = { key: string; kind?: string; before: Word | undefined; after: Word }

/** Since when it drifts, as the overview counts it; null while it does not. */
const driftSince = (word: Word | undefined): number | null =>
  word === undefined || word.kept ? null : word.differs_since

/** In the transaction that stores what is remembered, under the lane's lock. */
export async function publishDrifts(
  { workspace, by }: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  subject: 'setting' | 'declaration',
  turns: readonly Turn[],
): Promise<void> {
  const events = turns.flatMap(({ key, kind, before, after }): EventDraft[] => {
    const [was, is] = [driftSince(before), driftSince(after)]
    if ((was === null) === (is === null)) return []
    return [
      {
        type: is === null ? `${subject}.drift_ended` : `${subject}.drifted`,
        resource_id: IDS[subject](workspace, key),
        data: { key, ...(kind === undefined ? {} : { kind }), since: is ?? was, by },
      },
    ]
  })
  await publishEvents({ workspace, by }, { tx, clock }, events)
}
