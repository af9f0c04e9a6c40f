/** Real worker processes, killed before and after it is stored that a venue answers again. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { openServices, prepareDatabase } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'

describe('workers that watch venues', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>
  let services: ReturnType<typeof openServices>
  before(async () => {
    database = await testDatabase()
    await prepareDatabase(database.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    })
    await database.db.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, capabilities,
        system_created_at, system_updated_at
      )
      select workspace, ${newId()}, 'kraken', 'Kraken', 'EXCHANGE', 'PREFUNDED', 'CONNECTED', '{}',
        '{}', 0, 0
      from lanes`)
    services = openServices({
      DATABASE_URL: database.url,
      KONTOR_ROLE: 'worker',
      KONTOR_LEASE_MS: '300',
    })
  })
  after(async () => {
    await services?.killAll()
    await database?.drop()
  })

  for (const point of ['desk.silence.before', 'desk.silence.after'])
    it(`killed at ${point}: told once`, { timeout: 300_000 }, async () => {
      const before = (await told()).length
      await database.db.query(sql`
        delete
        from tasks`)
      await database.db.query(sql`
        update venues
        set silent_since = 1, last_seen_at = ${Date.now() + 3_600_000}`)
      assert.equal(await services.start({ KONTOR_FAILPOINT: point }).exited, 'SIGKILL')
      const next = services.start({})
      await until('it is told', async () => (await told()).length > before && (await waits()) > 0)
      await services.kill(next)
      assert.equal((await told()).length, before + 1)
    })

  const told = async (): Promise<string[]> => {
    const events = await database.db.query<{ resource_id: string }>(sql`
      select resource_id
      from events
      where type = 'venue.answered_again'`)
    return events.map(({ resource_id }) => resource_id)
  }
  /** How often it has looked since. */
  const waits = async (): Promise<number> => {
    const [row] = await database.db.query<{ count: number }>(sql`
      select count(*)::int as count
      from tasks
      where kind = 'watch_venues'
        and due_at > ${Date.now()}`)
    return row?.count ?? 0
  }
})
