/** The way to the mail server: SMTP, from one address. */
import nodemailer from 'nodemailer'
import { isLoopback } from '../core/networks.ts'
import { UsageError } from '../core/usage.ts'

type OutgoingMail = { id: string; recipient: string; subject: string; body: string }

/**
 * `refused`: the server will never take this mail; anything else that goes wrong is worth another
 * attempt.
 */
type Delivery = { handover: 'taken' } | { handover: 'refused' | 'failed'; reason: string }

export type Mailer = { send(mail: OutgoingMail): Promise<Delivery>; close(): void }

/**
 * `url`: smtp://user:password@host:587 or smtps://…; `from`: an address, with or without a name;
 * `plain`: mail and password may go over a network that anybody reads.
 */
export type MailConfiguration = { url: string; from?: string; plain?: boolean }

const CONNECT_MILLISECONDS = 10_000
const SILENCE_MILLISECONDS = 20_000
const DEFAULT_FROM = 'Kontor <kontor@localhost>'

/** The sentence does not repeat the address: it may hold a password. */
function partsOf(url: string): URL {
  const parts = URL.canParse(url) ? new URL(url) : undefined
  if (parts?.protocol !== 'smtp:' && parts?.protocol !== 'smtps:')
    throw new UsageError(
      'KONTOR_SMTP_URL must be an address such as smtp://user:password@host:587 or smtps://…',
    )
  return parts
}

/** Why the server does not take mail from us now. Nothing is sent. */
export async function mailFault(mail: MailConfiguration): Promise<string | undefined> {
  const transport = openTransport(mail)
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    transport.close()
  }
}

function openTransport({ url, plain = false }: MailConfiguration) {
  const { protocol, hostname, port, username, password } = partsOf(url)
  const secure = protocol === 'smtps:'
  const host = hostname.replaceAll(/[[\]]/g, '')
  return nodemailer.createTransport({
    host,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    // A server that does not offer STARTTLS, or whose offer somebody takes out on the way, gets
    // neither mail nor password.
    requireTLS: !secure && !plain && !isLoopback(host),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

export function openMailer(mail: MailConfiguration): Mailer {
  const { from = DEFAULT_FROM } = mail
  const transport = openTransport(mail)
  return {
    async send({ id, recipient, subject, body }) {
      try {
        // The same in every attempt, so that a mailbox can tell a repeat.
        await transport.sendMail({
          messageId: `<${id}@kontor>`,
          from,
          to: { name: '', address: recipient },
          subject,
          text: body,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        return { handover: 'taken' }
      } catch (error) {
        const {
          code,
          responseCode = 0,
          message,
        } = error as Error & { code?: string; responseCode?: number }
        const refused = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500
        return { handover: refused ? 'refused' : 'failed', reason: message.slice(0, 500) }
      }
    },
    close: () => {
      transport.close()
    },
  }
}
