import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { serverSentEvents } from './event-stream.ts'
import { KontorError, openClient } from './index.ts'
import { answer, refuse, scripted, thrownBy } from './scripted.testing.ts'
import type { Scripted } from './scripted.testing.ts'

const api_key = 'kontor_key'
const frame = (sequence: number) =>
  `id: ${sequence}\nevent: deposit.assigned\ndata: {"sequence":${sequence}}\n\n`

function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n\n')
  return response
}

async function collect(
  { base_url }: Scripted,
  count: number,
  following: object = {},
): Promise<number[]> {
  const kontor = openClient({ base_url, api_key, pause_ms: 1 })
  const seen: number[] = []
  for await (const { sequence } of kontor.events(following)) {
    seen.push(sequence)
    if (seen.length === count) break
  }
  return seen
}

const resumedAfter = ({ requests }: Scripted) =>
  requests
    .filter(({ line }) => line === 'GET /api/events/stream')
    .map(({ headers }) => headers['last-event-id'])

test('a stream that is cut, refused or silent goes on after the last event', async (t) => {
  const service = await scripted(t, ({ line, nth }, response) => {
    assert.equal(line, 'GET /api/events/stream')
    // Cut in the middle of the second event.
    if (nth === 0)
      return begin(response).write(frame(8) + frame(9).slice(0, 30), () => response.destroy())
    if (nth === 1) return refuse(response, [503, 2004])
    if (nth === 2) return begin(response).end(frame(9))
    if (nth === 3) return begin(response).write(frame(10))
    return begin(response).write(frame(11) + frame(12))
  })
  const seen = await collect(service, 5, { after: 7, silence_ms: 50 })
  assert.deepEqual(seen, [8, 9, 10, 11, 12])
  assert.deepEqual(resumedAfter(service), ['7', '8', '8', '9', '10'])
})

test('without a beginning it starts now, and a cut at once loses none', async (t) => {
  const service = await scripted(t, ({ line, nth, query }, response) => {
    if (line === 'GET /api/events') {
      assert.equal(query.toString(), 'newest_first=true&limit=1')
      return answer(response, [{ sequence: 41 }])
    }
    assert.equal(query.toString(), 'type=deposit.assigned')
    return nth === 0 ? begin(response).end() : begin(response).write(frame(42))
  })
  assert.deepEqual(await collect(service, 1, { type: ['deposit.assigned'] }), [42])
  assert.deepEqual(resumedAfter(service), ['41', '41'])
})

test('what does not pass ends it, and so does the signal', async (t) => {
  const leaving = new AbortController()
  const reason = new Error('enough')
  const service = await scripted(t, ({ nth }, response) => {
    if (nth === 0) return refuse(response, [403, 1003])
    begin(response)
    return leaving.abort(reason)
  })
  const refused = await thrownBy(collect(service, 1, { after: 0 }))
  assert.ok(refused instanceof KontorError && refused.is('PermissionDenied'))
  assert.equal(await thrownBy(collect(service, 1, { after: 0, signal: leaving.signal })), reason)
})

test('events are read from pieces that are cut anywhere, in every kind of line end', async () => {
  const text =
    'retry: 70\nid: 1\nevent: a\ndata: {"ü":1}\n\n: nothing\r\n\r\n' +
    'id: 2\rdata: x\rdata:y\r\rdata: open'
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    const retries = new Set<number>()
    const events = []
    const reading = { silence_ms: 1000, retry: (ms: number) => retries.add(ms) }
    for await (const event of serverSentEvents(body, reading)) events.push(event)
    assert.deepEqual(events, [
      { id: '1', event: 'a', data: '{"ü":1}' },
      { id: '2', event: 'message', data: 'x\ny' },
    ])
    assert.deepEqual([...retries], [70])
  }
})
