import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { PAUSE_CAUSES, WEBHOOK_MOVES } from './webhooks.schema.ts'

const BY_ITSELF = PAUSE_CAUSES.filter((cause) => cause !== 'BY_HAND')

export const webhooksDeskFeed: DeskFeed = {
  searchables: [],
  needs: [
    {
      kind: 'webhooks_paused',
      permission: 'webhooks.read',
      title: 'Webhooks that were paused because nothing could be delivered',
      list: '/webhooks',
      filter: { state: 'PAUSED', pause_cause: BY_ITSELF.join() },
      select: (workspace) => sql`
        select count(*)::integer as count, min(paused_at) as oldest_at
        from webhooks
        where workspace = ${workspace}
          and ${stateIn(WEBHOOK_MOVES, 'PAUSED')}
          and pause_cause = any(${BY_ITSELF})`,
    },
  ],
}
