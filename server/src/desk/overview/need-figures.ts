/** What needs a person, of all workspaces together. */
import type { Clock } from '../../core/clock.ts'
import { figures } from '../../core/figures.ts'
import type { Figures, Sample } from '../../core/figures.ts'
import { lastEventSequences } from '../../ledger/index.ts'
import type { Db } from '../../store/db.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { allDeskFeeds } from './desk-feed.ts'
import type { NeedKind } from './kinds.ts'
import { needsOf } from './overview.ts'

/** Nobody knows yet whether these have moved anything. */
const UNKNOWN: Readonly<Partial<Record<NeedKind, string>>> = {
  withdrawals_unknown: 'withdrawal',
  executions_unknown: 'execution',
}

type Sums = Map<NeedKind, { count: number; age_ms: number }>

/** `beside`: of modules on the desk's own floor. */
export function needFigures(
  { db, clock }: { db: Db; clock: Clock },
  beside: readonly DeskFeed[],
): Figures {
  const { needs } = allDeskFeeds(beside)
  const labels = ['kind']
  return figures({
    name: 'needs',
    gauges: {
      kontor_needs: { help: 'Items that need a person', labels },
      kontor_need_age_seconds: { help: 'For how long the oldest of them has waited', labels },
      kontor_unknown_outcomes: {
        help: 'What may have moved money at a venue, and its outcome is not known',
        labels: ['record'],
      },
    },
    async read() {
      const sums: Sums = new Map()
      for (const workspace of (await lastEventSequences(db)).keys())
        for (const need of await needsOf(db, needs, workspace, clock.now())) {
          const { count, age_ms } = sums.get(need.kind) ?? { count: 0, age_ms: 0 }
          sums.set(need.kind, {
            count: count + need.count,
            age_ms: Math.max(age_ms, need.age_ms),
          })
        }
      return samplesOf(sums)
    },
  })
}

function samplesOf(sums: Sums) {
  const kinds = [...sums].map(([kind, sum]) => ({ labels: { kind }, ...sum }))
  return {
    kontor_needs: kinds.map(({ labels, count }): Sample => ({ labels, value: count })),
    kontor_need_age_seconds: kinds.map(({ labels, age_ms }): Sample => ({
      labels,
      value: age_ms / 1000,
    })),
    kontor_unknown_outcomes: [...sums].flatMap(([kind, { count }]): Sample[] => {
      const record = UNKNOWN[kind]
      return record === undefined ? [] : [{ labels: { record }, value: count }]
    }),
  }
}
