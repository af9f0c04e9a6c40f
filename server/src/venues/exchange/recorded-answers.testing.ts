/**
 * For tests of what the adapters make of an exchange's own answers: a server in front of the
 * sandbox that answers some paths as a recording does, and hands the others on.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Venue } from '../contract.ts'

/** By the end of a path: what is answered, as JSON. A function is given the body and address. */
type Answers = Record<string, unknown>

/** `open` is given the address to use instead of the sandbox's. */
export async function withRecordedAnswers(
  sandbox: { url: string },
  answers: Answers,
  open: (url: string) => Promise<Venue>,
  work: (venue: Venue) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', sandbox.url)
    const recorded = Object.keys(answers).find((path) => url.pathname.endsWith(path))
    const answer = async () => {
      const body = await text(request)
      if (recorded === undefined) return (await fetch(`${sandbox.url}${request.url}`)).text()
      const known = answers[recorded]
      return JSON.stringify(typeof known === 'function' ? known(body, url) : known)
    }
    void answer().then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const venue = await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    await work(venue)
  } finally {
    await venue.close()
    server.closeAllConnections()
    server.close()
  }
}
