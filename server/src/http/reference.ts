/**
 * The API reference. Its library holds 17 MB of text, and few people open the page: a small server
 * of its own is made when it is first asked for.
 */
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const PATH = '/api/docs'
/** The outer server writes these itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'transfer-encoding',
])

export function serveReference(server: FastifyInstance): void {
  let reference: Promise<FastifyInstance> | undefined
  const answer = async ({ url }: FastifyRequest, reply: FastifyReply) => {
    reference ??= openReference().catch((error: unknown) => {
      reference = undefined
      throw error
    })
    const { statusCode, headers, rawPayload } = await (await reference).inject({ url })
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && !OWN_HEADERS.has(name)) reply.header(name, value)
    return reply.code(statusCode).send(rawPayload)
  }
  for (const path of [PATH, `${PATH}/*`]) server.get(path, { schema: { hide: true } }, answer)
}

async function openReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const server = Fastify()
  await server.register(
    apiReference as never,
    {
      routePrefix: PATH,
      configuration: {
        url: '/api/openapi.json',
        pageTitle: 'Kontor API',
        withDefaultFonts: false,
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
        telemetry: false,
        showDeveloperTools: 'never',
      },
    } as never,
  )
  return server
}
