/** Who may read which events and mails. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { permissionsOf } from '../access/permissions.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import type { Event } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { eventsEndpoints, watchEvents } from './index.ts'
import type { EventWatch } from './index.ts'
import { openEventsWorld } from './events.testing.ts'
import type { EventsWorld } from './events.testing.ts'

/** What a trader must not see, and what a trader may. */
const HIDDEN = ['booking.created', 'deposit.assigned', 'withdrawal.succeeded'] as const
const SHOWN = ['customer.created', 'account.overdrawn', 'execution.done'] as const

describe('readers of events', () => {
  let world: EventsWorld
  let server: TestServer
  let watch: EventWatch
  const readers: Record<string, ReadonlySet<string>> = {
    auditor: permissionsOf(['AUDITOR']),
    trader: permissionsOf(['TRADER']),
    narrow: new Set(['events.read']),
    admin: permissionsOf(['ADMIN']),
  }

  before(async () => {
    world = await openEventsWorld()
    watch = watchEvents({ db: world.db, log: { warn: () => undefined } })
    server = await testServer({
      db: world.db,
      clock: world.clock,
      endpoints: eventsEndpoints({ db: world.db, events: watch }),
      authenticate(header): Principal {
        const permissions = readers[header?.slice('Bearer '.length) ?? '']
        if (permissions === undefined) throw new ApiError('MissingToken')
        return {
          workspace: world.workspace,
          user_id: newId(),
          session_id: newId(),
          permissions,
        }
      },
    })
    await publishAll()
  })
  after(async () => {
    await server.close()
    await watch.close()
    await world.close()
  })

  const event = (type: Event['type']) => ({ type, resource_id: newId(), data: {} })
  async function publishAll(): Promise<void> {
    await world.book('1')
    await world.publish([...HIDDEN.slice(1), ...SHOWN.slice(1)].map(event))
  }

  const read = async (token: string, query = '') =>
    (await server.call<Event[]>('GET', `/events${query}`, { token })).data

  it('see events of records that they may read, in the same order, page after page', async () => {
    const all = await read('auditor')
    assert.deepEqual(new Set(all.map(({ type }) => type)), new Set([...HIDDEN, ...SHOWN]))
    const shown = all.filter(({ type }) => (SHOWN as readonly string[]).includes(type))
    assert.deepEqual(await read('trader'), shown)
    assert.deepEqual(await read('trader', '?newest_first=true'), shown.toReversed())
    const paged: Event[] = []
    for (let after = 0; ;) {
      const [next] = await read('trader', `?limit=1&after=${after}`)
      if (next === undefined) break
      paged.push(next)
      after = next.sequence
    }
    assert.deepEqual(paged, shown)
    assert.deepEqual(await read('narrow'), [])
  })

  it('are refused a type that they may not read, with the permission that it needs', async () => {
    assert.equal((await read('trader', '?type=execution.done')).length, 1)
    for (const path of ['/events', '/events/stream']) {
      const url = `${path}?type=execution.done,booking.created`
      const { status, error_code, error_description } = await server.call('GET', url, {
        token: 'trader',
      })
      assert.deepEqual(
        { status, error_code, error_description },
        {
          status: 403,
          error_code: 1003,
          error_description: 'booking.created needs the permission bookings.read',
        },
      )
    }
  })

  it('hear the same, live, until they lose a permission', async () => {
    readers['mover'] = permissionsOf(['TRADER'])
    await server.server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/api/events/stream?after=0`, {
      headers: { authorization: 'Bearer mover' },
    })
    let text = ''
    const ended = (async () => {
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
        text += part
    })()
    const heard = () => [...text.matchAll(/^event: (.+)$/gm)].map(([, type]) => type)
    await publishAll()
    const expected = (await read('trader')).map(({ type }) => type)
    await until('all have arrived', () => heard().length === expected.length)
    assert.deepEqual(heard(), expected)
    readers['mover'] = new Set(['events.read'])
    await ended
  })

  it('see mails about what they may read', async () => {
    await world.db.query(sql`
      insert into mails (
        workspace, id, state, event_sequence, event_type, resource_id, customer_id, recipient,
        subject, body, system_created_at, system_updated_at
      )
      select ${world.workspace}, gen_random_uuid(), 'SENT', n, type, ${newId()}, ${newId()},
        'a@b.example', type, '', 0, 0
      from unnest(${['deposit.assigned', 'execution.done']}::text[])
        with ordinality as mailed (type, n)`)
    const mailed = async (token: string) =>
      (await server.call<{ event_type: string }[]>('GET', '/mails', { token })).data
        .map(({ event_type }) => event_type)
        .toSorted()
    assert.deepEqual(
      {
        auditor: await mailed('auditor'),
        trader: await mailed('trader'),
        admin: await mailed('admin'),
      },
      { auditor: ['deposit.assigned', 'execution.done'], trader: ['execution.done'], admin: [] },
    )
  })
})
