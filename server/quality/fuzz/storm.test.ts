/** The storm with a service that is played: what it judges. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpAnswer } from '../service-under-test.ts'
import { Report } from './report.ts'
import { Storm } from './storm.ts'
import type { Turn } from './turns.ts'

const answer = (status: number): HttpAnswer => ({ status, text: '', type: '', headers: {} })
const turn = (url: string, method: 'GET' | 'POST' = 'POST'): Turn => ({
  plan: { how: 'x', method, url, headers: {}, endpoint: undefined },
  author: undefined as unknown as Turn['author'],
})

/** The answers to each address in their order, and how many rows are written by then. */
async function storm(
  addresses: readonly string[],
  answersOf: Readonly<Record<string, number[]>>,
  rows: () => number = () => 0,
): Promise<{ judged: string[]; report: Report }> {
  const report = new Report(1)
  const judged: string[] = []
  const left = [...addresses]
  const played = {
    send: async ({ url }: { url: string }) => answer(answersOf[url]?.shift() ?? 400),
    work: async () => undefined,
    fingerprint: async () => new Map([['bookings', String(rows())]]),
  }
  const turns = {
    next: () => turn(left.shift() ?? '/read', left.length === 0 ? 'GET' : 'POST'),
    judge: ({ plan }: Turn, { status }: HttpAnswer) => {
      judged.push(`${status} ${plan.url}`)
      return true
    },
    learn: () => false,
  }
  // What makes the world grow comes before the first batch.
  left.unshift(...Array.from({ length: 100 }, () => '/grow'))
  await new Storm(played, report, turns, { below: () => 0 }).run(addresses.length)
  return { judged: judged.filter((line) => !line.endsWith('/grow')), report }
}

test('what is sent again, as something beside it was accepted, is judged again', async () => {
  const { judged } = await storm(['/one', '/two'], { '/one': [200], '/two': [400, 500] })
  assert.deepEqual(judged, ['200 /one', '400 /two', '500 /two'])
})

test('what is halved, to find who changed something, is judged each time', async () => {
  let rows = 0
  const { judged, report } = await storm(
    ['/one', '/two'],
    { '/one': [400, 503], '/two': [400, 500] },
    () => (rows += 1),
  )
  assert.deepEqual(judged, ['400 /one', '400 /two', '503 /one', '500 /two'])
  assert.match(report.faults.join('\n'), /was refused and changed bookings/)
})
