/** An endpoint's answer as PDF. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takePlace } from './bulk-reads.ts'
import type { BulkReads } from './bulk-reads.ts'
import type { PdfAnswer } from './endpoint.ts'
import { AHEAD_BYTES, inPieces } from './slow-readers.ts'
import type { Pacing } from './slow-readers.ts'

export const PDF_TYPE = 'application/pdf'

export const wantsPdf = ({ headers }: FastifyRequest): boolean =>
  /\bapplication\/pdf\b/.test(headers.accept ?? '')

/** It takes places as a list does. What refuses it is answered as JSON. */
export async function answerPdf(
  parts: Pacing & { bulk: BulkReads },
  request: FastifyRequest,
  reply: FastifyReply,
  open: () => Promise<PdfAnswer>,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') return reply.type(PDF_TYPE).send(Readable.from([]))
  await takePlace(parts.bulk, request, reply, undefined)
  const { name, rows, pieces } = await open()
  parts.bulk.charge(request.principal, rows)
  reply.type(PDF_TYPE).header('content-disposition', `inline; filename="${fileName(name)}.pdf"`)
  return reply.send(inPieces(reply, pieces, parts, AHEAD_BYTES))
}

/** In letters that every header can carry. */
const fileName = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^\w ]/g, '')
    .replaceAll(' ', '-')
    .toLowerCase()
