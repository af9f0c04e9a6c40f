/** Every list that has news is filtered by them, and answers what has events, and nothing else. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { NEWS_LISTS, NEWS_PLACES } from '../src/desk/news/lists.ts'
import type { NewsList } from '../src/desk/news/lists.ts'
import type { ServiceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest

type Who = 'ours' | 'theirs'
const read = async <Data>(url: string, who: Who = 'ours'): Promise<Data> => {
  const { text, status } = await service.send({
    method: 'GET',
    url: `/api${url}`,
    headers: { authorization: `Bearer ${service[who].tokens.all}` },
    payload: undefined,
  })
  assert.equal(status, 200, `${url} ${text}`)
  return (JSON.parse(text) as { data: Data }).data
}
const ids = async (url: string): Promise<string[]> =>
  (await read<{ id: string }[]>(url)).map(({ id }) => id)

/** Of a service that has something of every kind. */
export function newsFilterLists(opened: () => ServiceUnderTest): void {
  describe('lists filtered by news', () => {
    before(() => {
      service = opened()
    })

    test('each of them has such a list', () => {
      const paths = service.endpoints
        .filter(({ query }) => query?.properties['news_after'] !== undefined)
        .map(({ path }) => path)
      assert.deepEqual(
        paths.toSorted(),
        NEWS_LISTS.map((list) => NEWS_PLACES[list].path).toSorted(),
      )
    })

    test('what is new since the beginning is what others did', async () => {
      const found: NewsList[] = []
      for (const list of NEWS_LISTS) {
        const { path, types, record } = NEWS_PLACES[list]
        const all = await ids(path)
        const told = await ids(`${path}?news_after=0`)
        type Event = { resource_id: string; data: { assignment_id?: string } }
        const events = await read<Event[]>(`/events?type=${types.join()}&limit=5000`)
        const named = new Set(
          events.map((event) =>
            record === 'resource_id' ? event.resource_id : event.data.assignment_id,
          ),
        )
        for (const id of told) {
          assert.ok(all.includes(id), `${path} ${id}`)
          assert.ok(named.has(id), `${path} ${id} has an event`)
        }
        if (told.length > 0) found.push(list)
        const { up_to } = await read<{ up_to: number }>(`/news/${list}`)
        assert.deepEqual(await ids(`${path}?news_after=${up_to}`), [], path)
      }
      assert.ok(found.includes('deposit'), `no deposits among ${found.join()}`)
    })
  })
}
