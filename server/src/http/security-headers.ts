/**
 * What every answer tells a browser that happens to show it. The console's page has a stricter
 * policy of its own (console.ts).
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

const secure = helmet({
  contentSecurityPolicy: {
    // The page of the API reference writes styles of its own.
    directives: {
      'default-src': ["'self'"],
      'script-src': ["'self'"],
      'font-src': ["'self'", 'data:'],
      'style-src': ["'self'", "'unsafe-inline'"],
      'upgrade-insecure-requests': null,
    },
  },
  hsts: false,
})

/** For a year (RFC 6797), over HTTPS alone, and of the name alone that was asked. */
export const STRICT_TRANSPORT = 'max-age=31536000'

/** The same for every answer, so they are made once. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = helmetHeaders()

function helmetHeaders(): Record<string, string> {
  const request = new IncomingMessage(new Socket())
  const answer = new ServerResponse(request)
  secure(request, answer, (error) => {
    if (error !== undefined) throw error
  })
  return Object.fromEntries(
    Object.entries(answer.getHeaders()).map(([name, value]) => [name, String(value)]),
  )
}
