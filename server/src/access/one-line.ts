import { refuse } from '../core/errors.ts'

/** What stands in mails and on papers as one line. Throws 3001. */
export function assertOneLine(text: string | undefined, path: string): void {
  if (/[\p{Cc}\u2028\u2029]/u.test(text ?? ''))
    throw refuse('FORMAT', path, `${path} must be one line`)
}
