/** The way to a service over real connections, whose ends without an answer are judged. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Report } from '../../../../server/quality/fuzz/report.ts'
import type { RequestPlan } from '../../../../server/quality/fuzz/requests.ts'
import type { Send } from '../../../../server/quality/fuzz/storm.ts'
import type { HttpAnswer } from '../../../../server/quality/service-under-test.ts'
import { AttackClient } from '../client.ts'

type Service = { send: Send; server: Pick<FastifyInstance, 'listen' | 'server'> }
type Sockets = {
  send: Send
  /** Requests that were answered. */
  count(): number
  /** Connections that ended without an answer, by how. */
  ended: ReadonlyMap<string, number>
  close(): void
}

/** It is refused before all of it is read; the connection may end before the refusal is. */
const UNREAD = [413, 431]
/** A connection of its own, that nobody closes while it is idle. */
const ALONE = { connection: 'close' }

/** What the client itself refuses to send goes in without a connection. */
export async function overSockets(
  service: Service,
  report: Pick<Report, 'fault'>,
): Promise<Sockets> {
  await service.server.listen({ port: 0, host: '127.0.0.1' })
  const client = new AttackClient((service.server.server.address() as AddressInfo).port)
  const ended = new Map<string, number>()
  let count = 0
  const ask = async (plan: RequestPlan, more: Record<string, string>): Promise<HttpAnswer> => {
    const { method, url: path, headers, payload } = plan
    const answer = await client.ask({
      method,
      path,
      headers: { ...headers, ...more },
      ...(payload === undefined ? {} : { payload }),
    })
    count += 1
    return { ...answer, type: String(answer.headers['content-type'] ?? '') }
  }
  const note = (error: Error): void => {
    const how = howItEnded(error)
    ended.set(how, (ended.get(how) ?? 0) + 1)
  }
  /** Sent once more; who is not answered then either is judged by what the service says to it. */
  const afterEnd = async (plan: RequestPlan, first: Error): Promise<HttpAnswer> => {
    const second = await ask(plan, ALONE).catch(asError)
    if (!(second instanceof Error)) return second
    note(second)
    const answer = await service.send(plan)
    if (!UNREAD.includes(answer.status))
      report.fault(
        `the connection ended twice without an answer: ${howItEnded(first)}, ${howItEnded(second)}`,
        { plan, answer },
      )
    return answer
  }
  return {
    ended,
    count: () => count,
    close: () => {
      client.close()
    },
    async send(plan) {
      const first = await ask(plan, {}).catch(asError)
      if (!(first instanceof Error)) return first
      if (isOfTheClient(first)) return service.send(plan)
      note(first)
      return afterEnd(plan, first)
    },
  }
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

const howItEnded = (error: Error & { code?: string }): string => error.code ?? 'no answer'

/** What it refuses to send is an error of its caller. */
const isOfTheClient = (error: Error): boolean => error instanceof TypeError
