/** What a request's body may be: JSON, read strictly. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { assertStorableText, mayBeDeep } from './prepare.ts'

/** Makes JSON the only body that the server takes. */
export function takeJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.sent = body as Buffer
    // Many clients name the type also where they send nothing.
    if (body.length === 0 && request.routeOptions.config.endpoint?.body === undefined)
      return done(null, undefined)
    try {
      done(null, parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('*', (_request, _payload, done) => {
    done(refuse('FORMAT', 'Content-Type', 'the body must be application/json'))
  })
}

/**
 * The body of a request that names a content type is read to its end. The stream of an empty one
 * has ended before, and would never say so again: it gets a new empty stream.
 */
export function replaceEndedBodies(server: FastifyInstance): void {
  server.addHook('preParsing', (request, _reply, payload, done) => {
    done(
      null,
      request.headers['content-type'] !== undefined && request.raw.readableEnded
        ? Readable.from([])
        : payload,
    )
  })
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const SUSPECT = /\\u0000|\\u[dD][89abAB]|\\u[dD][c-fC-F]/

function parseJson(body: Buffer): Json {
  if (body.length === 0) throw refuse('MALFORMED_JSON', '', 'the body is empty')
  let text: string
  try {
    text = strictUtf8.decode(body)
  } catch {
    throw refuse('ENCODING', '', 'the body is not valid UTF-8')
  }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw refuse(
      'MALFORMED_JSON',
      '',
      `the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
    )
  }
  if (text.includes('\0') || SUSPECT.test(text) || mayBeDeep(text)) assertStorableText(value)
  return value
}
