/** Every list whose records take notes is filtered by tag, and its totals with it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newId } from '../src/core/ids.ts'
import { NOTED_KINDS } from '../src/desk/notes/records.ts'
import type { Endpoint } from '../src/http/index.ts'
import type { ServiceUnderTest } from './service-under-test.ts'

/** The lists that have totals, or another order than their ids, read the tag themselves. */
const KIND_OF: Readonly<Record<string, string>> = {
  '/treasury/deposits': 'deposit',
  '/treasury/withdrawals': 'withdrawal',
  '/executions': 'execution',
  '/toms/fills': 'fill',
  '/toms/:service_id/fills': 'fill',
  '/bookings': 'booking',
}

let service: ServiceUnderTest

type Row = { id: string }
const call = async <Data>(method: 'GET' | 'POST', url: string, body?: object): Promise<Data> => {
  const { text, status } = await service.send({
    method,
    url: `/api${url}`,
    headers: {
      authorization: `Bearer ${service.ours.tokens.all}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    payload: body === undefined ? undefined : JSON.stringify(body),
  })
  assert.equal(status, 200, `${method} ${url} ${text}`)
  return (JSON.parse(text) as { data: Data }).data
}

const filtered = (): Map<string, Endpoint> =>
  new Map(
    service.endpoints
      .filter(({ effect, query }) => effect === 'list' && query?.properties['tag'] !== undefined)
      // The report on executions reads the list of executions, with its filters.
      .filter(({ path }) => path !== '/tagged/:kind' && path !== '/executions/quality')
      .map((endpoint) => {
        const { tagged } = endpoint as { tagged?: string }
        return [tagged ?? KIND_OF[endpoint.path] ?? endpoint.path, endpoint]
      }),
  )

/** Of a service that has something of every kind. */
export function tagsFilterLists(opened: () => ServiceUnderTest): void {
  describe('lists filtered by tag', () => {
    before(() => {
      service = opened()
    })

    test('all kinds of records that take notes have such a list', () => {
      assert.deepEqual([...filtered().keys()].toSorted(), [...NOTED_KINDS].toSorted())
    })

    test('a tag finds the records that carry it, and no others', async () => {
      const venues = await call<{ services: { id: string; type: string }[] }[]>('GET', '/venues')
      const services = venues.flatMap((venue) => venue.services)
      const service_id = services.find(({ type }) => type === 'TOMS')?.id ?? ''
      const found: string[] = []
      for (const [kind, { path }] of filtered()) {
        const url = path.replace(':service_id', service_id)
        const tagged = () => call<Row[]>('GET', `${url}?tag=${kind}-Chosen`)
        assert.deepEqual(await tagged(), [], kind)
        const rows = await call<Row[]>('GET', `${url}?limit=3`)
        const row = rows.at(-1)
        if (row === undefined) continue
        await call('POST', `/notes/${kind}/${row.id}/tags`, { tag: `${kind}-chosen` })
        assert.deepEqual(
          (await tagged()).map(({ id }) => id),
          [row.id],
          kind,
        )
        found.push(kind)
      }
      for (const kind of [
        'deposit',
        'withdrawal',
        'execution',
        'booking',
        'customer',
        'settlement',
      ])
        assert.ok(found.includes(kind), `no ${kind} among ${found.join()}`)
    })

    test('totals are of what the list has', async () => {
      type Totals = { rows: number }
      for (const path of ['/treasury/deposits', '/treasury/withdrawals', '/executions']) {
        const of = (tag: string) => call<Totals>('GET', `${path}/totals?tag=${tag}`)
        assert.equal((await of(`${KIND_OF[path]}-chosen`)).rows, 1, path)
        assert.equal((await of(newId().slice(0, 8))).rows, 0, path)
      }
    })
  })
}
