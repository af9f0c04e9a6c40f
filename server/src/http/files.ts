/**
 * A file that somebody uploaded, handed out. A browser saves it and never shows it, whatever stands
 * in it, except a picture; even that runs and fetches nothing. `nosniff` comes with every answer.
 */
import type { FastifyReply } from 'fastify'
import type { FileAnswer } from './endpoint.ts'

export const FILE_TYPE = 'application/octet-stream'
const POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

/** Of a picture, whose styles are its own. */
const PICTURE_POLICY = `${POLICY}; style-src 'unsafe-inline'`

export const answerFile = (
  reply: FastifyReply,
  { name, content, picture }: FileAnswer,
): FastifyReply =>
  reply
    .type(picture ?? FILE_TYPE)
    .header('content-disposition', picture === undefined ? disposition(name) : 'inline')
    .header('content-security-policy', picture === undefined ? POLICY : PICTURE_POLICY)
    .header('cache-control', 'private, no-store')
    .send(content)

/** RFC 6266: plain for old readers, and in full. */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}
