/** Whether the process lives, whether it can serve, and its figures. */
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/** A sentence names what is missing. */
export type Ready = () => Promise<string | undefined>

type Probe = { status: number; type: string; text: string }

const jsonProbe = (status: number, body: object): Probe => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
})

export type Probes = Readonly<Record<string, () => Probe | Promise<Probe>>>

const alive = () => jsonProbe(200, { status: 'alive' })

/** By path: what every port answers. */
export const healthProbes = (ready: Ready): Probes => ({
  '/livez': alive,
  '/healthz': alive,
  '/readyz': async () => {
    const missing = await ready()
    return missing === undefined
      ? jsonProbe(200, { status: 'ready' })
      : jsonProbe(503, { status: 'not ready', reason: missing })
  },
})

const HEALTH: readonly string[] = ['/livez', '/healthz', '/readyz']

/** Its answer is the same for everybody and names nobody. */
export const isHealthProbe = (path: string | undefined): boolean => HEALTH.includes(path ?? '')

export const metricsProbe = (metrics: Registry): Probes => ({
  '/metrics': async () => ({
    status: 200,
    type: metrics.contentType,
    text: await metrics.metrics(),
  }),
})

export function serveProbes(server: FastifyInstance, probes: Probes): void {
  for (const [path, probe] of Object.entries(probes))
    server.get(path, async (_request, reply) => {
      const { status, type, text } = await probe()
      return reply.code(status).type(type).send(text)
    })
}
