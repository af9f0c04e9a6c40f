/**
 * Very many requests by chance, and inputs for the parsers: one of the processes that `npm run
 * attack` starts for it. Most requests enter the server without a socket; each tenth batch goes
 * over one. Says what it found as a line of JSON.
 */
import { drawsOf } from '../../../../server/quality/fuzz/draws.ts'
import { Report } from '../../../../server/quality/fuzz/report.ts'
import { Storm } from '../../../../server/quality/fuzz/storm.ts'
import { Turns } from '../../../../server/quality/fuzz/turns.ts'
import { openServiceUnderTest } from '../../../../server/quality/service-under-test.ts'
import { sumOf } from './counts.ts'
import type { Counts } from './counts.ts'
import { overSockets } from './over-sockets.ts'
import { fuzzParsers } from './parsers.ts'

/** After so many, a new service with an empty database. */
const ROUND = 50_000
const WAYS = 10
/** Inputs of parsers for each so many requests. */
const REQUESTS_OF_AN_INPUT = 5

export type Found = {
  requests: number
  harmless: number
  sockets: number
  /** Connections over sockets that ended without an answer, by how. */
  ended: Counts
  inputs: number
  answers: Counts
  faults: string[]
}

async function round(found: Found, requests: number, seed: number): Promise<void> {
  const service = await openServiceUnderTest()
  const report = new Report(service.endpoints.length)
  const sockets = await overSockets(service, report)
  try {
    const draws = drawsOf(seed)
    const storm = new Storm(service, report, new Turns(service, report, draws), draws)
    const ways = Array.from({ length: WAYS }, (_, index) =>
      index === 1 ? sockets.send : service.send,
    )
    await storm.run(requests, ways)
    found.requests += report.requests
    found.harmless += storm.harmless
    found.sockets += sockets.count()
    found.ended = sumOf(found.ended, sockets.ended)
    found.answers = sumOf(found.answers, report.answers)
    found.faults.push(...report.faults.map((fault) => `seed ${seed}: ${fault}`))
  } finally {
    sockets.close()
    await service.close()
  }
}

const [requests = '1000', seed = '1', minutes = 'Infinity'] = process.argv.slice(2)
const end = Date.now() + Number(minutes) * 60_000
const found: Found = {
  requests: 0,
  harmless: 0,
  sockets: 0,
  ended: [],
  inputs: 0,
  answers: [],
  faults: [],
}
process.on('unhandledRejection', (error) => {
  found.faults.push(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`)
})
const inputs = Math.ceil(Number(requests) / REQUESTS_OF_AN_INPUT)
found.faults.push(...(await fuzzParsers(inputs, Number(seed))))
found.inputs = inputs
for (let [left, number] = [Number(requests), Number(seed)]; left > 0; left -= ROUND, number += 1) {
  if (Date.now() > end || found.faults.length > 0) break
  await round(found, Math.min(left, ROUND), number)
}
process.stdout.write(`${JSON.stringify(found)}\n`)
process.exit(0)
